import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Peer, PeerMissingError } from './peer.ts'
import { runStep } from './run-step.ts'

const TOKEN = 'bench'.repeat(9)
const ACCESS_TOKEN = 'bench-access'
/** The built pages that the program contains; the bench asks for none. */
const PAGES = ['default', 'berry', 'air']

/** It fetches what it counts tokens with, unless this folder has it. */
const { TIKTOKEN_CACHE_DIR } = process.env
const TOKENIZERS = TIKTOKEN_CACHE_DIR === undefined ? {} : { TIKTOKEN_CACHE_DIR }

/** one-api, built of a checkout with the Go of this machine, on SQLite. @param checkout its folder; null: none given. */
export function oneApi(checkout: string | null): Peer {
  return {
    name: 'one-api',
    accounting: 'tokens, quotas and a log of use, in SQLite',
    async install() {
      if (checkout === null) throw new PeerMissingError('no checkout: give its folder with --one-api')
      if (!existsSync(join(checkout, 'go.mod'))) throw new PeerMissingError(`${checkout} has no go.mod`)
      for (const page of PAGES) {
        const folder = join(checkout, 'web', 'build', page)
        mkdirSync(folder, { recursive: true })
        if (!existsSync(join(folder, 'index.html'))) writeFileSync(join(folder, 'index.html'), '')
      }
      await runStep(checkout, 'go', ['build', '-o', 'one-api-bench', '.'])
      const commit = await runStep(checkout, 'git', ['log', '-1', '--format=%h of %cs'])
      return commit.trim()
    },
    async prepare(_context, { dataFolder, port, upstream }) {
      const origin = `http://127.0.0.1:${port}`
      return {
        command: join(checkout ?? '', 'one-api-bench'),
        words: ['--port', String(port), '--log-dir', dataFolder],
        env: {
          ...TOKENIZERS,
          ...{ SQLITE_PATH: join(dataFolder, 'one-api.db'), GIN_MODE: 'release', SESSION_SECRET: 'bench' },
          ...{ INITIAL_ROOT_TOKEN: TOKEN, INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN },
          ...{ GLOBAL_API_RATE_LIMIT: '1000000', GLOBAL_WEB_RATE_LIMIT: '1000000' },
        },
        readyPath: '/api/status',
        async setUp() {
          const channel = {
            type: 1,
            key: 'none',
            name: 'bench',
            base_url: upstream,
            models: 'gpt-4o',
            group: 'default',
          }
          const answer = await fetch(`${origin}/api/channel/`, {
            method: 'POST',
            headers: { authorization: ACCESS_TOKEN, 'content-type': 'application/json' },
            body: JSON.stringify(channel),
          })
          const { success } = (await answer.json()) as { readonly success?: boolean }
          if (success !== true) throw new Error(`one-api took no channel: ${answer.status}`)
        },
        target: { origin, path: '/v1/chat/completions', key: `sk-${TOKEN}`, model: 'gpt-4o' },
      }
    },
  }
}
