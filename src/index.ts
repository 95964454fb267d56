export type { ReplyStats, TurnEvent } from './agent/events/turn-event.ts';
export type { ChatModel, ReplyEvent, ReplyRequest } from './agent/model/chat-model.ts';
export { LocalChatModel, type LocalModelParts } from './agent/model/local-model.ts';
export { Agent } from './agent/turn/agent.ts';
export type { AgentOptions } from './agent/turn/agent-options.ts';
export { createHistory, type History } from './chat/history.ts';
export type { Message, ToolCall, ToolDefinition } from './chat/message.ts';
export { type ChatTemplate, compileTemplate, type RenderOptions, renderChat } from './chat/template.ts';
export type { EmbedOptions, Ranked, RankOptions } from './embed/embedder.ts';
export type {
  Engine,
  EngineEvent,
  EngineInfo,
  GenerateRequest,
  GenerateResult,
  LocalEngine,
  PrefillProgress,
  SavedCache,
  TokenEvent,
} from './engine/engine.ts';
export { type LoadEngineOptions, loadEngine } from './engine/load-engine.ts';
export { type ErrorCode, LlmHostError } from './errors.ts';
export { checkResponseFormat, type ResponseFormat, responseProblems } from './grammar/response-format.ts';
export { Chat, type ChatOptions, type SendOptions } from './library/chat.ts';
export { type FunctionTool, type ToolContext, tool } from './library/function-tool.ts';
export { type LoadModelOptions, loadModel } from './library/load-model.ts';
export { type CompleteOptions, Model } from './library/model.ts';
export { type ChatEvent, Reply, type ReplyResult, type ToolRun } from './library/reply.ts';
export type { Infer, JsonSchema, Schema, StandardSchema } from './library/schema.ts';
export { loadMcpConfig, type McpConfig } from './mcp/config/config.ts';
export { McpHost, type McpHostOptions } from './mcp/mcp-host.ts';
export type { HostTool, ServerState, ToolHost, ToolOutcome } from './mcp/tool-host.ts';
export { loadTokenizer } from './model/load-tokenizer.ts';
export { createToolParser, type ToolParserOptions } from './parse/create-tool-parser.ts';
export type { ParseEvent, ParserEnd, ToolParser } from './parse/types/parse-event.ts';
export type { Sampling } from './text/sampling/fields.ts';
export type { TextStream, Tokenizer } from './tokens/tokenizer-types.ts';
