// All that the page can do: no Node, no other channels.
const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('model', {
  send: text => ipcRenderer.invoke('send', text),
  stop: () => ipcRenderer.send('stop'),
  onPiece: listener => ipcRenderer.on('piece', (_event, text) => listener(text)),
});
