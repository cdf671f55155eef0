/**
 * Starts the gateway as a newcomer does, `npm start` with the Node that is installed here, and uses it: health, one
 * chat with the printed key, one mp3, a sign-in that is refused, the balance, a second start, the end. `node tools/smoke.mjs [--clone]`; with `--clone` in
 * a fresh clone of the last commit with an empty npm cache, so that nothing but the repository, Node and npm is there.
 * The last line is `N passed, N failed`. Plain JavaScript, because it runs on the oldest Node that the launcher
 * supports.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../packages/server/testing/free-port.mjs'
import { startGateway } from './smoke/gateway.mjs'

/** A fresh clone fetches Node and all packages first. */
const FIRST_START_MS = 600_000
const SECOND_START_MS = 30_000
const STOP_MS = 30_000

const [unknown] = process.argv.slice(2).filter((word) => word !== '--clone')
if (unknown !== undefined) {
  const isHelp = unknown === '--help'
  const usage = 'npm run smoke -- [--clone]: starts the gateway as a newcomer does; with --clone in a fresh clone'
  if (isHelp) console.log(usage)
  else console.error(`error: unknown option '${unknown}'; allowed is --clone`)
  process.exit(isHelp ? 0 : 2)
}

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(path.join(tmpdir(), 'svc-smoke-'))
let passed = 0
let failed = 0

try {
  await tryEverything()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function tryEverything() {
  const clone = path.join(folder, 'clone')
  const isFresh = process.argv.includes('--clone')
  if (isFresh) execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { stdio: 'inherit' })
  const port = await findFreePort()
  const place = {
    cwd: isFresh ? clone : root,
    port,
    dataDir: path.join(folder, 'data'),
    npmCache: isFresh ? path.join(folder, 'npm-cache') : null,
  }
  console.log(`npm start with Node ${process.versions.node}${isFresh ? ' in a fresh clone' : ''}`)

  const first = startGateway(place)
  try {
    const isReady = await check('answers /api/health after npm start', () => first.waitUntilReady(FIRST_START_MS))
    if (!isReady) return
    await check('prints the key that it keeps in the data folder', async () => {
      if (first.printedKey() !== readDemoKey(place.dataDir)) throw new Error(`printed ${first.printedKey()}`)
    })
    await check('answers a chat with the exact charge', () => chatAndCompare(port, readDemoKey(place.dataDir)))
    // Both are made by packages that the build joins with our own code: no other test sees them joined.
    await check('speaks an mp3', () => speak(port, readDemoKey(place.dataDir)))
    await check('refuses a wrong password in words', () => enterWithWrongPassword(port))
    await check('ends when npm is told to', () => first.stop(STOP_MS))
  } finally {
    first.kill()
  }

  const second = startGateway(place)
  try {
    await check('starts a second time', () => second.waitUntilReady(SECOND_START_MS))
    await check('keeps what was charged', async () => {
      const { credits } = await call(port, '/api/v1/balance', readDemoKey(place.dataDir))
      if (!(credits < 10_000)) throw new Error(`the balance is ${credits}`)
    })
    await check('ends again', () => second.stop(STOP_MS))
  } finally {
    second.kill()
  }
}

/**
 * @param {string} name
 * @param {() => Promise<unknown>} attempt
 */
async function check(name, attempt) {
  const startedAt = performance.now()
  try {
    await attempt()
    passed++
    console.log(`  ✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(2)} s)`)
    return true
  } catch (error) {
    failed++
    console.log(`  ✗ ${name}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** @param {string} dataDir */
function readDemoKey(dataDir) {
  return readFileSync(path.join(dataDir, 'demo-key'), 'utf8').trim()
}

/**
 * @param {number} port
 * @param {string} key
 */
async function chatAndCompare(port, key) {
  const before = await call(port, '/api/v1/balance', key)
  const chat = { model: 'svc-gpt', max_tokens: 50, messages: [{ role: 'user', content: 'Say hello.' }] }
  const answer = await call(port, '/api/v1/chat/completions', key, chat)
  if (!answer.choices?.[0]?.message?.content) throw new Error('the answer has no text')
  const after = await call(port, '/api/v1/balance', key)
  const fell = before.credits - after.credits
  const charged = answer.svc?.credits_charged
  // Doubles are near enough here: the tests compare to the nano-credit.
  if (!(charged > 0) || Math.abs(fell - charged) > 1e-6)
    throw new Error(`charged ${charged}, the balance fell by ${fell}`)
}

/**
 * @param {number} port
 * @param {string} key
 */
async function speak(port, key) {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini-tts-2025-12-15', input: 'Hello.', voice: 'nova' }),
    signal: AbortSignal.timeout(30_000),
  })
  const bytes = new Uint8Array(await reply.arrayBuffer())
  if (reply.status !== 200)
    throw new Error(`it answers ${reply.status}: ${Buffer.from(bytes).toString().slice(0, 300)}`)
  // A tag, or the eleven set bits that begin a frame.
  const isTagged = Buffer.from(bytes.subarray(0, 3)).toString('latin1') === 'ID3'
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0
  if (!isTagged && !isFrame) throw new Error(`${bytes.length} bytes are no mp3`)
}

/** @param {number} port */
async function enterWithWrongPassword(port) {
  const origin = `http://localhost:${port}`
  const reply = await fetch(`http://127.0.0.1:${port}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'stranger@example.com', password: 'not the password' }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await reply.text()
  if (reply.status !== 401 || !JSON.parse(text || '{}').message) throw new Error(`it answers ${reply.status}: ${text}`)
}

/**
 * @param {number} port
 * @param {string} route
 * @param {string} key
 * @param {object} [body]
 */
async function call(port, route, key, body) {
  const reply = await fetch(`http://127.0.0.1:${port}${route}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (reply.status !== 200) throw new Error(`${route} answers ${reply.status}: ${(await reply.text()).slice(0, 300)}`)
  return /** @type {any} */ (await reply.json())
}
