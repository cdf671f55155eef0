/** A proxy between the gateway and a chain's node that does what bad providers do. */
import { createServer, type ServerResponse } from 'node:http'
import { request } from 'undici'
import { listenOnLoopback } from './loopback-server.ts'

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

type Alteration = (answer: unknown, params: readonly unknown[]) => unknown

export type RpcProxy = Awaited<ReturnType<typeof startRpcProxy>>

/** Starts a provider that passes everything on, until the test says otherwise. */
export async function startRpcProxy(target: string) {
  const alterations = new Map<string, Alteration>()
  const refusals = new Map<string, number>()
  const failures = new Map<string, (params: readonly unknown[]) => boolean>()
  const hanging = new Map<string, (params: readonly unknown[]) => boolean>()
  let isAway = false
  let busyAnswers = 0
  let page: { readonly status: number; readonly text: string } | null = null
  const calls: RpcCall[] = []

  const answerOne = async (call: RpcCall): Promise<object> => {
    calls.push(call)
    const head = { jsonrpc: '2.0', id: call.id }
    const code = refusals.get(call.method)
    if (code !== undefined) return { ...head, error: { code, message: 'not here' } }
    const { body } = await request(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...call, jsonrpc: '2.0' }),
    })
    const reply = (await body.json()) as { readonly result?: unknown }
    const alter = alterations.get(call.method)
    return alter === undefined || !('result' in reply) ? reply : { ...head, result: alter(reply.result, call.params) }
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => void reply(Buffer.concat(chunks).toString(), response))
  })
  const reply = async (text: string, response: ServerResponse): Promise<void> => {
    if (isAway) return void response.destroy()
    if (page !== null) {
      response.writeHead(page.status, { 'content-type': 'text/html' })
      return void response.end(page.text)
    }
    if (busyAnswers > 0) {
      busyAnswers--
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' })
      return void response.end('{"error":"slow down"}')
    }
    const asked = JSON.parse(text) as RpcCall | readonly RpcCall[]
    const all = Array.isArray(asked) ? (asked as readonly RpcCall[]) : [asked as RpcCall]
    const isHit = (by: typeof failures): boolean => all.some(({ method, params }) => by.get(method)?.(params) === true)
    if (isHit(hanging)) return void calls.push(...all)
    if (isHit(failures)) {
      calls.push(...all)
      response.writeHead(500, { 'content-type': 'text/plain' })
      return void response.end('no')
    }
    const answer = Array.isArray(asked) ? await Promise.all(asked.map(answerOne)) : await answerOne(asked as RpcCall)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }
  const { origin: url, close } = await listenOnLoopback(server)
  return {
    ...{ url, close },
    /** Everything that was asked since the last `restore`. */
    calls: calls as readonly RpcCall[],
    /** Answers something else than the node does. */
    alter: (method: string, alteration: Alteration) => void alterations.set(method, alteration),
    /** Has no such method, or says so. */
    refuse: (method: string, code: number) => void refusals.set(method, code),
    /** Answers a method with status 500, or only some of its questions. */
    fail: (method: string, which: (params: readonly unknown[]) => boolean = () => true) =>
      void failures.set(method, which),
    /** Never answers a method, or some of its questions. */
    hang: (method: string, which: (params: readonly unknown[]) => boolean = () => true) =>
      void hanging.set(method, which),
    /** Breaks every connection off. */
    goAway: () => void (isAway = true),
    /** Says "too many requests" so many times. */
    beBusy: (times: number) => void (busyAnswers = times),
    /** Answers everything with a page, as a proxy before it would. */
    showPage: (status: number, text: string) => void (page = { status, text }),
    /** Is as good as the node again. */
    restore: () => {
      alterations.clear()
      refusals.clear()
      failures.clear()
      hanging.clear()
      isAway = false
      busyAnswers = 0
      page = null
      calls.length = 0
    },
  }
}
