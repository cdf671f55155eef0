import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { beginAccessLog } from './access-log.ts'
import { mountPages } from './pages.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function servePages(folder: string, write: (line: string) => unknown = () => undefined): FastifyInstance {
  const log = createLogger({ level: 'debug', sink: { write: (line) => void write(line) } })
  const app = Fastify()
  onTestFinished(() => app.close())
  app.addHook('onRequest', (request, reply, done) => {
    beginAccessLog({ log, metrics: null }, request, reply)
    done()
  })
  mountPages(app, { consoleFolder: folder, describeSignIn: () => Promise.reject(new Error('no database')) })
  return app
}

/** A build of the pages whose files have `version` in their names, written over the one before. */
function build(folder: string, version: string): void {
  const files = {
    [`assets/app-${version}.js`]: `'${version}'`,
    'index.html': `<!doctype html><html><script src="/console/assets/app-${version}.js"></script></html>\n`,
    'site/docs.html': `<h1>Docs ${version}</h1>`,
    [`site/docs/new-in-${version}.html`]: version,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

// `npm run build` comes before a restart, and a gateway serves until then.
test('pages that are built under a running gateway are served whole, and pages that are open keep their parts', async () => {
  const folder = makeFolder()
  const app = servePages(folder)
  const get = async (url: string): Promise<string> => (await app.inject({ url })).body
  const scriptOf = (page: string): string => /src="([^"]+)"/.exec(page)?.[1] ?? ''
  expect(await get('/console')).toContain('The console is not built.')

  for (const version of ['one', 'two']) {
    build(folder, version)
    for (const path of ['/console', '/console/sign-in', '/console/a/page']) {
      expect(await get(scriptOf(await get(path)))).toBe(`'${version}'`)
    }
    expect(await get('/docs')).toBe(`<h1>Docs ${version}</h1>`)
    expect(await get(`/docs/new-in-${version}`)).toBe(version)
  }
  expect(await get('/console/assets/app-one.js')).toBe("'one'")

  writeFileSync(join(folder, 'index.html'), '<!doctype html><html><scr')
  expect(scriptOf(await get('/console'))).toBe('/console/assets/app-two.js')
  rmSync(join(folder, 'index.html'))
  expect(scriptOf(await get('/console'))).toBe('/console/assets/app-two.js')
})

test('the files of a page have lines of level debug; pages and what is not there keep theirs', async () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets', 'app.js'), 'void 0')
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site', 'docs.html'), '<h1>Docs</h1>')
  const lines: string[] = []
  const app = servePages(folder, (line) => lines.push(line))
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
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
