/** Answers of an upstream that makes images, for the stub. */
import type { ServerResponse } from 'node:http'
import type { StubCall, StubHandler } from './stub-upstream.ts'

/** A red pixel, 1 × 1, as PNG. */
export const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='

/** Sends an answer. `cost` is JSON text, so that every digit is sent; null leaves the usage out. */
export function sendImages(
  response: ServerResponse,
  options: {
    readonly data?: readonly unknown[]
    readonly cost?: string | null
    readonly more?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  } = {},
): void {
  const { data = [{ b64_json: IMAGE, media_type: 'image/png' }], cost = '0.04', more = {}, headers = {} } = options
  const usage = cost === null ? '' : `,"usage":{"prompt_tokens":7,"completion_tokens":4175,"cost":${cost}}`
  const rest = JSON.stringify({ created: 1_795_813_200, data, ...more }).slice(0, -1)
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(`${rest}${usage}}`)
}

/** Streams one image as OpenRouter does: data lines alone. */
export function streamImage(
  response: ServerResponse,
  options: { readonly partials?: number; readonly cost?: string } = {},
): void {
  const { partials = 2, cost = '0.04' } = options
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let index = 0; index < partials; index++) {
    const event = { type: 'image_generation.partial_image', partial_image_index: index, b64_json: IMAGE }
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  const usage = `"usage":{"prompt_tokens":7,"completion_tokens":4175,"total_tokens":4182,"cost":${cost}}`
  const image = `"b64_json":"${IMAGE}","media_type":"image/png","created":1795813200`
  response.write(`data: {"type":"image_generation.completed",${image},${usage}}\n\n`)
  response.end('data: [DONE]\n\n')
}

/** Answers requests for images with a handler, and everything else with 404. The calls are kept in order. */
export function onImages(handler: StubHandler): { readonly calls: StubCall[]; readonly handle: StubHandler } {
  const calls: StubCall[] = []
  return {
    calls,
    handle: (call, response) => {
      const isImages = call.method === 'POST' && /\/images(?:\/(?:generations|edits))?$/.test(call.path)
      if (!isImages) return void response.writeHead(404).end()
      calls.push(call)
      return handler(call, response)
    },
  }
}
