// Bundles the client into one file that runs with Node alone. Plain JavaScript, so that any Node can build it.
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('.', import.meta.url))
const { version } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
rmSync(`${folder}dist`, { recursive: true, force: true })
/**
 * The client sends what the contract's types allow and believes the gateway's answers, so it never parses by a schema.
 * In the bundle every schema is one object that answers everything with itself: the program starts in half the time.
 */
const withoutSchemas = {
  name: 'svc-without-schemas',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: 'without-schemas' }))
    build.onLoad({ filter: /.*/, namespace: 'without-schemas' }, () => ({
      contents: `const schema = new Proxy(class {}, {
        get: () => schema, apply: () => schema, construct: () => schema, ownKeys: () => ['prototype'],
      })
      export { schema as z }`,
    }))
  },
}
await build({
  plugins: [withoutSchemas],
  absWorkingDir: folder,
  entryPoints: ['src/bin.ts'],
  outfile: 'dist/svc.cjs',
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  // In this form a part of the file asks for Node's own modules when it first runs, and not all at the start.
  format: 'cjs',
  minify: true,
  legalComments: 'eof',
  define: { SVC_VERSION: JSON.stringify(version), 'import.meta.url': 'svcModuleUrl' },
  banner: { js: "const svcModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
})
chmodSync(`${folder}dist/svc.cjs`, 0o755)
