import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs `npm start` in its own process group, with settings of its own and none of ours.
 *
 * @param {{ cwd: string, port: number, dataDir: string, npmCache: string | null }} place
 */
export function startGateway({ cwd, port, dataDir, npmCache }) {
  const child = spawn('npm', ['start', '--silent'], {
    cwd,
    detached: true,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentFor({ SVC_PORT: String(port), SVC_DATA_DIR: dataDir }, npmCache),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  let ended = false
  const end = new Promise((resolve) => child.once('close', resolve)).then(() => (ended = true))

  return {
    /** @param {number} limitMs */
    async waitUntilReady(limitMs) {
      const until = Date.now() + limitMs
      while (!(await isHealthy(port))) {
        if (ended) throw new Error(`npm start ended with ${child.exitCode}:\n${output.slice(-2_000)}`)
        if (Date.now() > until) throw new Error(`not ready after ${limitMs} ms:\n${output.slice(-2_000)}`)
        await wait(20)
      }
    },
    printedKey: () => /sk-svc-[0-9A-Za-z]{49}/.exec(output)?.[0] ?? null,
    /** @param {number} limitMs */
    async stop(limitMs) {
      child.kill('SIGTERM')
      await Promise.race([end, wait(limitMs, undefined, { ref: false })])
      if (!ended) throw new Error(`still running ${limitMs} ms after SIGTERM`)
      if (await isHealthy(port)) throw new Error('npm has ended, the gateway has not')
    },
    /** Leaves nothing behind, whatever happened. */
    kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The group is gone: what was wanted.
      }
    },
  }
}

/**
 * Our environment without the settings of the npm that runs us and of a gateway that runs here.
 *
 * @param {NodeJS.ProcessEnv} added
 * @param {string | null} npmCache
 */
function environmentFor(added, npmCache) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|npm_|NODE_)/.test(name))
  return { ...Object.fromEntries(inherited), ...added, ...(npmCache === null ? {} : { npm_config_cache: npmCache }) }
}

/** @param {number} port */
async function isHealthy(port) {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/api/health`, { signal: AbortSignal.timeout(2_000) })
    await reply.arrayBuffer()
    return reply.status === 200
  } catch {
    return false
  }
}
