/** An upstream whose model does what a script says: calls of tools one after the other, then a sentence. */
import type { ServerResponse } from 'node:http'
import {
  beginStream,
  chunkText,
  completionText,
  sendEvent,
  sendStream,
  startStubUpstream,
  type StubCall,
  type StubUpstream,
  usageText,
} from '../../packages/server/testing/stub-upstream.ts'
import { JSON_TYPE } from '../../packages/server/testing/scripted-answer.ts'
import type { PlayedCall } from './client.ts'
import { PLAYED_MODEL } from './played-model.ts'

/** The last sentence of the model; clients show it. */
export const DONE = 'It is done.'

const usage = { prompt_tokens: 100, completion_tokens: 20 }

export interface Play {
  readonly calls: readonly PlayedCall[]
  readonly says: string
  /** The file that is to be edited. */
  readonly file: string
}

export interface PlayedUpstream extends Pick<StubUpstream, 'url' | 'chats' | 'close'> {
  /** Models that it has besides: those that clients ask for by themselves. */
  readonly otherModels: readonly string[]
  /** Why a call could not be played: the agent does not offer it. */
  readonly faults: string[]
  play(play: Play): void
}

interface Offered {
  readonly function?: { readonly name?: string }
}

/** Names of the tools that a request offers. */
function toolsOf({ json }: StubCall): string[] {
  const tools = (json?.['tools'] ?? []) as readonly Offered[]
  return tools.flatMap((tool) => tool.function?.name ?? [])
}

/** How many calls of tools the conversation has the results of. */
function resultsOf({ json }: StubCall): number {
  const messages = (json?.['messages'] ?? []) as readonly { readonly role?: string }[]
  return messages.filter(({ role }) => role === 'tool').length
}

function sendCall(
  response: ServerResponse,
  call: StubCall,
  called: { name: string; arguments: string; id: string },
): void {
  const { id, ...rest } = called
  const toolCall = { id, type: 'function', function: rest }
  if (!call.wantsStream) {
    const message = { tool_calls: [toolCall] }
    response.writeHead(200, JSON_TYPE).end(completionText({ text: null, message, finishReason: 'tool_calls', usage }))
    return
  }
  beginStream(response)
  const delta = { tool_calls: [{ index: 0, ...toolCall }] }
  for (const data of [chunkText(delta), chunkText({}, 'tool_calls'), usageText(usage), '[DONE]']) {
    sendEvent(response, data)
  }
  response.end()
}

function sendText(response: ServerResponse, call: StubCall, text: string): void {
  if (call.wantsStream) sendStream(response, { words: [text], usage })
  else response.writeHead(200, JSON_TYPE).end(completionText({ text, usage }))
}

/** Starts it. It says that it is done until it is told what to play. */
export async function startPlayedUpstream(): Promise<PlayedUpstream> {
  const stub = await startStubUpstream()
  const otherModels = ['gpt-5.6-sol', 'claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-4-5-20251001']
  const faults: string[] = []
  let play: Play = { calls: [], says: DONE, file: '' }
  stub.onOther = (_call, response) => {
    const data = [PLAYED_MODEL, ...otherModels].map((id) => ({ id, object: 'model', created: 1 }))
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ object: 'list', data }))
  }
  stub.onChat = (call, response) => {
    const offered = toolsOf(call)
    const number = resultsOf(call)
    const next = play.calls[number]
    // Agents ask for titles and the like beside: those requests offer no tools.
    if (next === undefined || offered.length === 0) return sendText(response, call, play.says)
    const name = next.tools.find((each) => offered.includes(each))
    if (name === undefined) {
      faults.push(`none of ${next.tools.join(', ')} is offered: ${offered.join(', ')}`)
      return sendText(response, call, DONE)
    }
    return sendCall(response, call, { name, arguments: JSON.stringify(next.input(play.file)), id: `call_${number}` })
  }
  return {
    ...{ url: stub.url, chats: stub.chats, close: stub.close, otherModels, faults },
    play(next) {
      play = next
      faults.length = 0
      stub.chats.length = 0
    },
  }
}
