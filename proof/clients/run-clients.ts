/** Installs clients one after the other, runs each against the gateways, and collects what came of it. */
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Client, type ClientResult, type FeatureResult, features, type LibraryClient } from './client.ts'
import { type ClientStage, openClientStage } from './client-stage.ts'
import { installClient, starterOf } from './install-client.ts'
import { runAgent } from './run-agent.ts'
import { runProgram } from './run-program.ts'

/** The longest that a client may take for all its features, in milliseconds. */
const RUN_MS_MAX = 300_000

export interface RunClientsOptions {
  readonly clients: readonly Client[]
  /** Where packages are kept; outside the tree. */
  readonly folder: string
  readonly onResult?: (result: ClientResult) => void
}

/** Programs print one JSON object in a line for each feature; libraries may print other lines among them. */
function readResults(out: string): FeatureResult[] {
  const names: ReadonlySet<unknown> = new Set(features.map(({ name }) => name))
  return out.split('\n').flatMap((line) => {
    if (!line.startsWith('{"feature"')) return []
    const result = JSON.parse(line) as FeatureResult
    if (!names.has(result.feature)) throw new Error(`there is no feature ${result.feature}`)
    return [result]
  })
}

async function runLibrary(client: LibraryClient, folder: string, { sandbox }: ClientStage): Promise<ClientResult> {
  const home = await mkdtemp(path.join(tmpdir(), 'svc-client-'))
  const env = { HOME: home, SVC_BASE_URL: sandbox.baseUrl, SVC_API_KEY: sandbox.key }
  const ran = await runProgram({ ...starterOf(client, folder), cwd: folder, env, withinMs: RUN_MS_MAX })
  await rm(home, { recursive: true, force: true })
  const results = readResults(ran.out)
  const end = `ended with ${ran.code}: ${ran.error.trim().slice(-600)}`
  if (ran.code === 0 && results.length > 0) return { client, missing: null, results }
  // It broke off: nothing that it has not said can be taken for granted.
  return { client, missing: null, results: [...results, { feature: 'chat', passed: false, why: end }] }
}

/** Installs a client and runs it. */
export async function runClient(client: Client, folder: string, stage: ClientStage): Promise<ClientResult> {
  const missing = await installClient(client, folder)
  if (missing !== null) return { client, missing, results: [] }
  if (client.kind === 'library') return runLibrary(client, folder, stage)
  return { client, missing: null, results: await runAgent(client, folder, stage) }
}

/** Runs them. The books of both gateways are audited at the end. */
export async function runClients({ clients, folder, onResult }: RunClientsOptions): Promise<ClientResult[]> {
  const stage = await openClientStage()
  const all: ClientResult[] = []
  for (const client of clients) {
    const result = await runClient(client, path.join(folder, client.name), stage)
    all.push(result)
    onResult?.(result)
  }
  await stage.close()
  return all
}
