// A bot in a chat room, as it would be for Slack: a conversation for each channel, several replies at once, kept between
// runs. It answers those who name it. Here the room is stdin and stdout, with lines such as
//   #general ann: @bot What is 17 plus 25?
//   node bot.mjs [MODEL] [FILE FOR THE CONVERSATIONS]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadModel } from 'llm-host';

const [source = 'demo', file] = process.argv.slice(2);
const SYSTEM = 'You are a bot in a chat room. Be brief.';

/** What a client of Slack would do: `chat.postMessage`. @type {(channel: string, text: string) => void} */
const post = (channel, text) => console.log(`${channel} bot: ${text.replaceAll('\n', ' ')}`);

/** @type {Record<string, readonly import('llm-host').Message[]>} */
const kept = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const model = await loadModel(source);
/** @type {Map<string, import('llm-host').Chat>} */
const chats = new Map();
/** The latest reply of each channel. @type {Map<string, import('llm-host').Reply>} */
const replies = new Map();

/** @param {string} channel */
function chatOf(channel) {
  const messages = kept[channel];
  const chat = chats.get(channel) ?? model.chat(messages ? { messages } : { system: SYSTEM });
  chats.set(channel, chat);
  return chat;
}

/** Never throws: a bot goes on. @type {(channel: string, user: string, text: string) => Promise<void>} */
async function answer(channel, user, text) {
  const reply = chatOf(channel).send(`${user} says: ${text}`);
  replies.set(channel, reply);
  try {
    const { text: said, cancelled } = await reply;
    post(channel, cancelled ? `${said} (stopped)` : said);
  } catch (error) {
    post(channel, `Sorry, ${user}: ${error instanceof Error ? error.message : error}`);
  }
}

const answers = [];
for await (const line of createInterface({ input: process.stdin })) {
  const [, channel, user, text] = /^(#\S+) (\S+): @bot (.+)$/.exec(line) ?? [];
  if (channel === undefined || user === undefined || text === undefined) continue;
  if (text === 'stop') replies.get(channel)?.cancel();
  else answers.push(answer(channel, user, text));
}
await Promise.all(answers);
for (const [channel, chat] of chats) kept[channel] = chat.messages;
if (file !== undefined) writeFileSync(file, JSON.stringify(kept));
await model.close();
