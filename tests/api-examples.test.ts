/** The JavaScript in docs/api.md, run unchanged against a whole gateway. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { chargeOf } from './charge-of.ts'

interface Example {
  /** The heading that it is under. */
  readonly heading: string
  readonly language: string
  readonly code: string
}

const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')

function examplesOf(markdown: string): Example[] {
  return markdown.split(/^#{2,3} /m).flatMap((section) => {
    const heading = section.split('\n')[0] ?? ''
    return [...section.matchAll(/^```(js|ts)\n(.*?)^```/gms)].map(([, language = '', code = '']) => {
      return { heading, language, code }
    })
  })
}

const examples = examplesOf(page)
/** The function that the examples with quotes share. */
const [QUOTED_FETCH = ''] = /^async function quotedFetch.*?^}\n/ms.exec(page) ?? []

const messages = `const messages = [{ role: 'user', content: 'Say hello.' }]\n`

/** An example without imports goes on where that for Node has ended. */
function programOf({ code, language }: Example, baseUrl: string): string {
  if (language === 'ts') {
    const address = code.replace('http://localhost:8787/api', baseUrl)
    return `${messages}const key = process.env.SVC_API_KEY\n${address}\nconsole.log(balance)`
  }
  const node = examples.find(({ heading }) => heading === 'Node')
  if (code.includes('import ') && code.includes('quotedFetch')) return `${QUOTED_FETCH}${code}`
  return code.includes('import ') ? code : `${node?.code}${messages}${code}`
}

async function run(example: Example, gateway: TestGateway): Promise<string> {
  const type = example.language === 'ts' ? 'module-typescript' : 'module'
  const child = spawn(process.execPath, [`--input-type=${type}`, '-'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key, NODE_NO_WARNINGS: '1' },
  })
  child.stdin.end(programOf(example, gateway.baseUrl))
  const [printed, failure] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(failure).toBe('')
  return printed
}

// Too little for the example that shows a 402.
const gateway = useGateway(() => ({ credits: '0.5' }))
const rich = useGateway()

/** A video costs more than all others together, and a search more than the little. */
const DEAR: ReadonlySet<string> = new Set(['Videos', 'Rerank'])
const gatewayFor = ({ heading }: Example): TestGateway => (DEAR.has(heading) ? rich : gateway)

/** What each of them must print. */
const prints: Readonly<Record<string, readonly RegExp[]>> = {
  Node: [/sandbox/, /credits_charged: 0\.00\d+/],
  'AI SDK': [/sandbox/, /credits_charged: 0\.00\d+/],
  LangChain: [/sandbox/, /credits_charged: 0\.00\d+/],
  'OpenRouter provider': [/sandbox/, /0\.00000\d+$/m],
  Responses: [/sandbox/, /credits_charged: 0\.00\d+/],
  Messages: [/sandbox/i, /credits_charged: 0\.00\d+/],
  'Text completions': [/sandbox/i, /credits_charged: 0\.00\d+/],
  Streaming: [/sandbox/, /^credits: 0\.00\d+$/m],
  Embeddings: [/^1536 \d+ 0\.000\d+$/m],
  Rerank: [/^1 0\.\d+ 1 2\.4$/m],
  Moderations: [/^true \{/m],
  'Quotes in Node': [/credits_charged: 0\.00\d+/],
  'Quotes in the AI SDK': [/credits_charged: 0\.00\d+/],
  'Quotes in LangChain': [/credits_charged: 0\.00\d+/],
  Videos: [/^\d{4,} bytes of video\/mp4$/m],
  'Errors and retries': [/^0\.\d+ \d+ http\S+$/m],
  'The typed client': [/credits: '0\.\d+'/, /undefined 0\.00\d+$/m],
}

test('every example is known here, and every one here is in the document', () => {
  expect(examples.map(({ heading }) => heading)).toEqual(Object.keys(prints))
})

test.each(examples)(
  'the example under “$heading” runs and is charged',
  async (example) => {
    const own = gatewayFor(example)
    const { result: printed, charge } = await chargeOf(own, () => run(example, own))
    for (const expected of prints[example.heading] ?? []) expect(printed).toMatch(expected)
    expect(charge).toBeGreaterThan(0n)
  },
  90_000,
)
