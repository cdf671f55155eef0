import { documentedChatRequest } from '../chat-documentation.ts'
import { chatChunk, chatReply, chatRequest } from '../chat.ts'
import { completionChunk, completionReply, completionRequest } from '../completions.ts'
import { messageCountReply, messageCountRequest, messageEvent, messageReply, messageRequest } from '../messages.ts'
import {
  deletedResponse,
  inputItemList,
  inputItemsQuery,
  responseCountReply,
  responseEvent,
  responsePath,
  responseReply,
  responseRequest,
} from '../responses.ts'
import { bodyErrors, type EndpointTable, paidErrors } from './endpoint.ts'

/** What a count of tokens can be refused with. */
const countErrors = [
  ...bodyErrors,
  'unsupported_parameter',
  'empty_content',
  'model_not_allowed',
  'model_not_found',
] as const

export const chatEndpoints = {
  createChatCompletion: {
    id: 'createChatCompletion',
    method: 'POST',
    path: '/v1/chat/completions',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Chat',
    summary: 'Chat with a model',
    description:
      'The OpenAI chat request. Fields that are not listed go to the upstream unchanged, except those that change ' +
      'price, model or route. The answer carries the charge in `svc`: at the top level, or in a stream on the last ' +
      'event before `[DONE]`.',
    request: { body: chatRequest, documentedBody: documentedChatRequest },
    reply: {
      description: 'The answer: JSON, or with `stream: true` server-sent events that end with `data: [DONE]`.',
      json: chatReply,
      event: chatChunk,
    },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
  createCompletion: {
    id: 'createCompletion',
    method: 'POST',
    path: '/v1/completions',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Chat',
    summary: 'Complete a text',
    description:
      'The older form of OpenAI, for programs that know no chat. Each prompt is asked as a chat of one message of the ' +
      'user, and the charge is that of these chats. Fields that are not listed go to the upstream as those of a chat do.',
    request: { body: completionRequest },
    reply: {
      description: 'The texts: JSON, or with `stream: true` server-sent events that end with `data: [DONE]`.',
      json: completionReply,
      event: completionChunk,
    },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
  createResponse: {
    id: 'createResponse',
    method: 'POST',
    path: '/v1/responses',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Chat',
    summary: 'Chat in the form of the Responses API',
    description:
      'A chat with the request and the answer of the OpenAI Responses API. Each request brings its whole ' +
      'conversation, unless the team has its responses stored. Tools that a provider would run are left out, and refused ' +
      'where the model has to call them. The charge is that of the same chat.',
    request: { body: responseRequest },
    reply: {
      description:
        'The answer: JSON, or with `stream: true` server-sent events, last `response.completed`, `.incomplete` or `.failed`.',
      json: responseReply,
      event: responseEvent,
      namedEvents: true,
    },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
  getResponse: {
    id: 'getResponse',
    method: 'GET',
    path: '/v1/responses/{response_id}',
    auth: 'key',
    right: 'inference',
    tag: 'Chat',
    summary: 'Fetch a stored response',
    description:
      'A response of the last thirty days, as it was answered to any key of the team. A team has responses stored only ' +
      'after it has switched that on in the console.',
    request: { path: responsePath },
    reply: { description: 'The response.', json: responseReply },
    errors: ['response_not_found'],
    rateClass: 'keyed',
  },
  deleteResponse: {
    id: 'deleteResponse',
    method: 'DELETE',
    path: '/v1/responses/{response_id}',
    auth: 'key',
    right: 'inference',
    tag: 'Chat',
    summary: 'Delete a stored response',
    description: 'Nothing can refer to it any more, and no request can go on from those that follow it.',
    request: { path: responsePath },
    reply: { description: 'It is gone.', json: deletedResponse },
    errors: ['response_not_found'],
    rateClass: 'keyed',
  },
  listResponseInputItems: {
    id: 'listResponseInputItems',
    method: 'GET',
    path: '/v1/responses/{response_id}/input_items',
    auth: 'key',
    right: 'inference',
    tag: 'Chat',
    summary: 'List what was asked for a stored response',
    description: 'The items of its request, without those of the turns before it.',
    request: { path: responsePath, query: inputItemsQuery },
    reply: { description: 'A page of items.', json: inputItemList },
    errors: ['invalid_value', 'response_not_found'],
    rateClass: 'keyed',
  },
  countResponseTokens: {
    id: 'countResponseTokens',
    method: 'POST',
    path: '/v1/responses/input_tokens',
    auth: 'key',
    right: 'inference',
    tag: 'Chat',
    summary: 'Count the tokens of a response',
    description:
      'Says how many input tokens a request to `/v1/responses` would have. Free. Counted as ' +
      '`/v1/messages/count_tokens` counts: `svc.estimated` tells.',
    request: { body: responseRequest },
    reply: { description: 'The number of tokens.', json: responseCountReply },
    errors: countErrors,
    rateClass: 'keyed',
  },
  createMessage: {
    id: 'createMessage',
    method: 'POST',
    path: '/v1/messages',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Chat',
    summary: 'Chat in the form of the Messages API',
    description:
      'A chat with the request and the answer of the Anthropic Messages API, for any model. The key may be in ' +
      '`x-api-key`, too. Errors have the form `{type: "error", error: {type, message, code, param}}`. The charge is ' +
      'that of the same chat.',
    request: { body: messageRequest },
    reply: {
      description: 'The answer: JSON, or with `stream: true` server-sent events, last `message_stop`.',
      json: messageReply,
      event: messageEvent,
      namedEvents: true,
    },
    errors: ['invalid_json', 'context_length_exceeded', ...paidErrors],
    rateClass: 'keyed',
  },
  countMessageTokens: {
    id: 'countMessageTokens',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    auth: 'key',
    right: 'inference',
    tag: 'Chat',
    summary: 'Count the tokens of a message',
    description:
      'Says how many input tokens a request to `/v1/messages` would have. Free. Models of Anthropic and Gemini that ' +
      'are served by their own APIs are counted there, others by the tokenizer of the gateway: `svc.estimated` tells.',
    request: { body: messageCountRequest },
    reply: { description: 'The number of tokens.', json: messageCountReply },
    errors: countErrors,
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<
  | 'createChatCompletion'
  | 'createCompletion'
  | 'createResponse'
  | 'getResponse'
  | 'deleteResponse'
  | 'listResponseInputItems'
  | 'countResponseTokens'
  | 'createMessage'
  | 'countMessageTokens'
>
