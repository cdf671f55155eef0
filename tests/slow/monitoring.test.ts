/**
 * The rules of alerts and the metrics before Prometheus' own tool. It comes with the package `prometheus` of Debian and
 * its like; without it these tests are left out.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../packages/server/testing/test-gateway.ts'
import { alertGroups } from '../../tools/monitoring/monitoring.ts'
import { renderRuleTests } from '../../tools/monitoring/render-rules.ts'

const RULES = join(dirname(dirname(import.meta.dirname)), 'deploy/prometheus/svc.rules.yml')
const run = promisify(execFile)

/** Runs the tool. @returns what it printed; it fails where the tool does. */
async function promtool(words: readonly string[], input = ''): Promise<string> {
  const running = run('promtool', words)
  running.child.stdin?.end(input)
  const { stdout, stderr } = await running
  return stdout + stderr
}

const hasPromtool = await promtool(['--version']).then(
  () => true,
  () => false,
)

describe.skipIf(!hasPromtool)('before promtool', () => {
  let folder: string
  let gateway: TestGateway

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-rules-'))
    gateway = await startTestGateway({ env: { SVC_ADMIN_PORT: '0' } })
  })

  afterAll(async () => {
    await gateway.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('the rules are in order', async () => {
    const count = alertGroups.flatMap(({ alerts }) => alerts).length
    expect(await promtool(['check', 'rules', '--lint=all', '--lint-fatal', RULES])).toContain(`${count} rules found`)
  })

  test('each alert fires for its case, and not for what looks alike', async () => {
    const file = join(folder, 'tests.yml')
    await writeFile(file, renderRuleTests(alertGroups, RULES))
    expect(await promtool(['test', 'rules', file])).toContain('SUCCESS')
  })

  test('the metrics of a gateway that has worked are in order', async () => {
    const messages = [{ role: 'user', content: 'Say hello.' }]
    for (const stream of [false, true]) await (await gateway.chat({ model: 'svc-gpt', messages, stream })).text()
    await gateway.settled()
    const scraped = await fetch(`${gateway.gateway.adminOrigin()}/metrics`)
    expect(await promtool(['check', 'metrics'], await scraped.text())).toBe('')
  })
})
