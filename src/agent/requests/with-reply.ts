import type { ChatModel } from '../model/chat-model.ts';

/** The same model for requests, with another way to reply. Its settings are the server's, so they cannot be changed. */
export function withReply(model: ChatModel, reply: ChatModel['reply']): ChatModel {
  const { name } = model;
  return {
    ...(name !== undefined && { name }),
    contextLength: model.contextLength,
    ...(model.parameters !== undefined && { parameters: model.parameters }),
    ...(model.canConstrain && { canConstrain: true }),
    ...(model.canFollowFormat && { canFollowFormat: true }),
    ...(model.limitsThinking && { limitsThinking: true }),
    ...(model.writeCall && { writeCall: model.writeCall.bind(model) }),
    countTokens: request => model.countTokens(request),
    reply,
  };
}
