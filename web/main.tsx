import { createRoot } from 'react-dom/client';
import { App } from './components/app.tsx';
import { followAddress } from './state/address.ts';
import { Chat } from './state/chat.ts';
import { applyTheme } from './state/theme.ts';
import { ChatContext } from './state/use-chat.ts';
import { storedTheme } from './storage/preferences.ts';
import './style/all.css';

applyTheme(storedTheme());
const chat = new Chat();
followAddress(chat);
addEventListener('pagehide', () => chat.leave());
createRoot(document.getElementById('root') as HTMLElement).render(
  <ChatContext value={chat}>
    <App />
  </ChatContext>,
);
