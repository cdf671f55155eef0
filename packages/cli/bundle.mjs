// How the client becomes one file that runs with Node alone. Plain JavaScript, so that any Node can build it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('.', import.meta.url))
const { version, engines } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? []
if (major === undefined || minor === undefined) throw new Error('engines.node is not of the form >=22.19')
/**
 * The client sends what the contract's types allow and believes the gateway's answers, so it never parses by a schema.
 * In the bundle every schema is one object that answers everything with itself: the program starts in half the time. To
 * parse by it is a fault and not a silent success: what an argument must be is a `TextForm`.
 */
const withoutSchemas = {
  name: 'svc-without-schemas',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: 'without-schemas' }))
    build.onLoad({ filter: /.*/, namespace: 'without-schemas' }, () => ({
      contents: `const parses = /^(?:safe)?(?:parse|decode|encode)(?:Async)?$/i
      const schema = new Proxy(class {}, {
        get: (_target, name) => {
          if (typeof name === 'string' && parses.test(name)) throw new Error('The published client has no schemas.')
          return schema
        },
        apply: () => schema, construct: () => schema, ownKeys: () => ['prototype'],
      })
      export { schema as z }`,
    }))
  },
}
/** Before anything else, and in words that every Node knows. */
const refuseOldNode = `{
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < ${major} || (major === ${major} && minor < ${minor})) {
    process.stderr.write('svc needs Node ${major}.${minor} or newer; this is Node ' + process.versions.node + '.\\n')
    process.exit(1)
  }
}
`

/**
 * @param {string} contents what the file begins with; its imports are relative to this folder.
 * @param {string} outfile
 */
export async function bundle(contents, outfile) {
  await build({
    plugins: [withoutSchemas],
    absWorkingDir: folder,
    stdin: { contents, resolveDir: folder },
    outfile,
    bundle: true,
    platform: 'node',
    // Older than what it needs: an older Node must be able to read the file to say that it is too old.
    target: 'node14',
    // In this form a part of the file asks for Node's own modules when it first runs, and not all at the start.
    format: 'cjs',
    minify: true,
    legalComments: 'eof',
    define: { SVC_VERSION: JSON.stringify(version), 'import.meta.url': 'svcModuleUrl' },
    banner: { js: `${refuseOldNode}const svcModuleUrl = require('url').pathToFileURL(__filename).href;` },
    logLevel: 'warning',
  })
}
