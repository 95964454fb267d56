export type { ReplyStats, TokenLogprob, TurnEvent } from './agent/events/turn-event.ts';
export type {
  ChatModel,
  PromptRequest,
  ReplyEvent,
  ReplyRequest,
  ThinkingOutcome,
  ToolChoice,
} from './agent/model/chat-model.ts';
export type { AgentOptions, ConstrainMode, Overflow } from './agent/turn/agent-options.ts';
export type { RetryOptions } from './agent/turn/failed-attempts.ts';
export { createHistory, type History, type HistoryMark } from './chat/history.ts';
export type { Message, ToolCall, ToolDefinition } from './chat/message.ts';
export { type ChatTemplate, compileTemplate, type RenderOptions, renderChat } from './chat/template.ts';
export type { EmbedOptions, Ranked, RankOptions } from './embed/embedder.ts';
export type { DecodingStats } from './engine/decoding-stats.ts';
export type {
  Engine,
  EngineEvent,
  EngineInfo,
  FinishReason,
  GenerateRequest,
  GenerateResult,
  GenerateTimings,
  LocalEngine,
  PrefillProgress,
  SavedCache,
  TokenEvent,
} from './engine/engine.ts';
export type { ModelOptions } from './engine/model-options.ts';
export { type ErrorCode, LlmHostError } from './errors.ts';
export { checkResponseFormat, type ResponseFormat, responseProblems } from './grammar/response-format.ts';
export type { DownloadProgress } from './hub/transfer-meter.ts';
export { Chat, type ChatOptions, type SendOptions } from './library/chat.ts';
export { type FunctionTool, type ToolContext, tool } from './library/function-host.ts';
export { type LoadModelOptions, loadEngine, loadModel } from './library/load.ts';
export { type CompleteOptions, Model } from './library/model.ts';
export { Agent, createToolParser, McpHost } from './library/parts.ts';
export { type ChatEvent, Reply, type ReplyResult, type ToolRun } from './library/reply.ts';
export type {
  Infer,
  JsonSchema,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './library/schema.ts';
export type { LocalAccess } from './mcp/config/address-guard.ts';
export { loadMcpConfig, type McpConfig } from './mcp/config/config.ts';
export type {
  Approval,
  ApprovalRule,
  HttpServerConfig,
  OAuthSettings,
  ServerConfig,
  ServerSettings,
  StdioServerConfig,
} from './mcp/config/types.ts';
export type { VariableScope } from './mcp/config/variables.ts';
export type { McpHostOptions } from './mcp/host/mcp-host.ts';
export type { ApprovalAnswer, ApprovalRequest, Approver, CallArguments } from './mcp/policy/approval.ts';
export type { PolicyTool, ToolPolicy } from './mcp/policy/policy.ts';
export type {
  CallOptions,
  HostTool,
  Progress,
  ServerState,
  ToolOutcome,
  ToolSource,
} from './mcp/tool-host.ts';
export type { MemoryOptions } from './model/load-model.ts';
export { loadTokenizer } from './model/load-tokenizer.ts';
export type { LoadProgress } from './native/load-types.ts';
export type { ToolParserOptions } from './parse/create-tool-parser.ts';
export type { SchemaProblem } from './parse/json/schema-check.ts';
export type { ParseEvent, ParserEnd, ToolParser } from './parse/types/parse-event.ts';
export type { Sampling, TokenSampling } from './text/sampling/sampling.ts';
export type { PromptSegment, TextStream, Tokenizer } from './tokens/tokenizer-types.ts';
