// The main process of an Electron app with a model of its own: electron examples/electron/main.mjs
// The model computes on a thread of its own, so windows stay responsive; each has a conversation.
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain } from 'electron';
import { loadModel } from 'llm-host';

const loading = loadModel(process.env.MODEL ?? 'demo');
// Told to whoever asks first.
loading.catch(() => undefined);
/** By window. @type {Map<number, Promise<import('llm-host').Chat>>} */
const chats = new Map();
/** The reply that each window waits for. @type {Map<number, import('llm-host').Reply>} */
const replies = new Map();

/** @param {Electron.WebContents} window */
function chatOf(window) {
  const { id } = window;
  const found = chats.get(id);
  if (found) return found;
  const chat = loading.then(model => model.chat({ system: 'Be brief.' }));
  chats.set(id, chat);
  window.once('destroyed', () => {
    chats.delete(id);
    void chat.then(one => one.close());
  });
  return chat;
}

// Pieces go to the window as they come; the whole is what its promise gets.
ipcMain.handle('send', async ({ sender }, /** @type {unknown} */ text) => {
  const reply = (await chatOf(sender)).send(String(text));
  replies.set(sender.id, reply);
  for await (const event of reply) {
    if (event.type === 'token' && !sender.isDestroyed()) sender.send('piece', event.text);
  }
  return (await reply).text;
});
ipcMain.on('stop', ({ sender }) => replies.get(sender.id)?.cancel());

// The model ends before the app does.
let ended = false;
app.on('before-quit', event => {
  if (ended) return;
  event.preventDefault();
  void loading
    .then(model => model.close())
    .catch(() => undefined)
    .finally(() => {
      ended = true;
      app.quit();
    });
});
app.on('window-all-closed', () => app.quit());

await app.whenReady();
const window = new BrowserWindow({
  webPreferences: { preload: join(import.meta.dirname, 'preload.cjs') },
});
await window.loadFile(join(import.meta.dirname, 'index.html'));
