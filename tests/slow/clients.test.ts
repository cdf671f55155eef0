/** Every client of the matrix, fetched from its registry and run unmodified. `npm run clients` writes the table. */
import { homedir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agents } from '../../proof/clients/agent-list.ts'
import { type ClientStage, openClientStage } from '../../proof/clients/client-stage.ts'
import { libraries } from '../../proof/clients/library-list.ts'
import { runClient } from '../../proof/clients/run-clients.ts'

/** A first run fetches and compiles. */
const CLIENT_MS_MAX = 1_800_000
const folder = path.join(homedir(), '.cache/svc-clients')
let stage: ClientStage
beforeAll(async () => void (stage = await openClientStage()), 60_000)
afterAll(() => stage.close())

for (const client of [...libraries, ...agents]) {
  test(`${client.name} works in all that it can do`, { timeout: CLIENT_MS_MAX }, async ({ skip }) => {
    const { missing, results } = await runClient(client, path.join(folder, client.name), stage)
    if (missing !== null) return skip(`${client.name} could not be installed: ${missing}`)
    expect(results.filter(({ passed }) => !passed)).toEqual([])
    expect(results.length).toBeGreaterThan(1)
  })
}
