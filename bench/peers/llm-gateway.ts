import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import type { BenchContext } from '../bench-context.ts'
import { spawnPeer } from './spawn-peer.ts'
import { type Peer, PeerMissingError } from './peer.ts'
import { runStep } from './run-step.ts'

const KEY = 'bench-key'
/** What its migration tool puts between two statements. */
const BREAK = '--> statement-breakpoint'

/**
 * LLM Gateway, of a checkout that is built, on PostgreSQL and Redis, which queues what it books.
 *
 * @param checkout its folder; null: none given.
 */
export function llmGateway(checkout: string | null): Peer {
  return {
    name: 'LLM Gateway',
    accounting: 'keys, projects and a log of use, in PostgreSQL, by way of Redis',
    async install() {
      if (checkout === null) throw new PeerMissingError('no checkout: give its folder with --llm-gateway')
      const built = join(checkout, 'apps', 'gateway', 'dist', 'serve.js')
      if (!existsSync(built)) throw new PeerMissingError(`${built} is not there: build it with pnpm`)
      if (!hasRedis()) throw new PeerMissingError('there is no redis-server on this machine')
      const commit = await runStep(checkout, 'git', ['log', '-1', '--format=%h of %cs'])
      return commit.trim()
    },
    async prepare(context, { dataFolder, port, upstream }) {
      const folder = checkout ?? ''
      const url = await makeDatabase(context, folder, upstream)
      const redisPort = await findFreePort()
      const words = ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--dir', dataFolder]
      // Lives as long as the bench: its CPU is in no figure, as that of PostgreSQL is not.
      spawnPeer(context, { command: 'redis-server', words, env: {}, folder: dataFolder })
      return {
        command: process.execPath,
        words: [join(folder, 'apps', 'gateway', 'dist', 'serve.js')],
        env: {
          ...{ NODE_ENV: 'production', PORT: String(port), DATABASE_URL: url },
          ...{ REDIS_HOST: '127.0.0.1', REDIS_PORT: String(redisPort) },
        },
        readyPath: '/',
        target: {
          ...{ origin: `http://127.0.0.1:${port}`, path: '/v1/chat/completions' },
          ...{ key: KEY, model: 'openai/gpt-4o-mini' },
        },
      }
    },
  }
}

function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A database with its schema, one key, and the upstream as the key's own. */
async function makeDatabase(context: BenchContext, checkout: string, upstream: string): Promise<string> {
  const postgres = await context.postgres()
  const { place } = await postgres.createDatabase()
  const { url } = place
  if (url === null) throw new Error('the database has no address')
  const folder = join(checkout, 'packages', 'db', 'migrations')
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const schema = files.toSorted().flatMap((name) => readFileSync(join(folder, name), 'utf8').split(BREAK))
  await postgres.run(url, [
    ...schema.filter((statement) => statement.trim() !== ''),
    `insert into organization (id, name, retention_level) values ('bench', 'bench', 'none')`,
    `insert into project (id, name, organization_id, mode) values ('bench', 'bench', 'bench', 'api-keys')`,
    `insert into api_key (id, token, description, project_id) values ('bench', '${KEY}', 'bench', 'bench')`,
    `insert into provider_key (id, token, provider, base_url, organization_id)
       values ('bench', 'none', 'openai', '${upstream}', 'bench')`,
  ])
  return url
}
