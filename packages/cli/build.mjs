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
      contents: `const schema = new Proxy(function () {}, {
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
  outfile: 'dist/svc.js',
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  minify: true,
  legalComments: 'eof',
  define: { SVC_VERSION: JSON.stringify(version) },
  // Packages in the older module form ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
chmodSync(`${folder}dist/svc.js`, 0o755)
