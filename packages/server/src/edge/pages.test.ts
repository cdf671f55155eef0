import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { beginAccessLog } from './access-log.ts'
import { mountPages } from './pages.ts'

test('the files of a page have lines of level debug; pages and what is not there keep theirs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets', 'app.js'), 'void 0')
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site', 'docs.html'), '<h1>Docs</h1>')
  const lines: string[] = []
  const log = createLogger({ level: 'debug', sink: { write: (line) => void lines.push(line) } })
  const app = Fastify()
  app.addHook('onRequest', (request, reply, done) => {
    beginAccessLog({ log, metrics: null }, request, reply)
    done()
  })
  mountPages(app, { consoleFolder: folder, describeSignIn: () => Promise.reject(new Error('no database')) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  const told: unknown[] = []
  for (const path of ['/console', '/console/assets/app.js', '/docs', '/console/assets/no.js']) {
    const { status } = await fetch(`${origin}${path}`).then(async (answer) => (await answer.text(), answer))
    const line = await eventually(() => {
      expect(lines).toHaveLength(told.length + 1)
      return JSON.parse(lines.at(-1) ?? '') as { level: string; status: number }
    })
    expect(line.status).toBe(status)
    told.push([path, status, line.level])
  }
  expect(told).toEqual([
    ['/console', 200, 'info'],
    ['/console/assets/app.js', 200, 'debug'],
    ['/docs', 200, 'info'],
    ['/console/assets/no.js', 404, 'info'],
  ])
})
