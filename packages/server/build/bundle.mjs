/**
 * `node packages/server/build/bundle.mjs`: makes the programs of the gateway in `packages/server/dist`, each with all
 * modules that it loads at its start in few files.
 * Source: decision 0173.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { builtInModules, lessOf, ownAddresses, unmappedPackages } from './plugins.mjs'

const packages = fileURLToPath(new URL('../../', import.meta.url))
const outdir = path.join(packages, 'server', 'dist')
/** Names the files of the last build. */
const listFile = path.join(outdir, '.files')

/**
 * Programs that share files. More of them in one group would share more, in more and smaller files, each of which a
 * start has to find. `app/run` is what the bench starts in place of `main`.
 */
const GROUPS = [['main', 'app/run'], ['admin', 'audit'], ['fund'], ['sweeper'], ['probe']]
/** The scripts of threads are in the sources of these packages. */
const WITH_THREADS = ['server', 'sandbox', 'tokens']
const THREAD = /[.-]worker\.ts$/
/** What comes in place of packages, or of files of these, of which the gateway needs less. */
const LESS = {
  undici: 'parts-of-undici.cjs',
  semver: 'one-lock.cjs',
  glob: 'never-called.cjs',
  '@fastify/ajv-compiler': 'never-called.cjs',
  '@fastify/fast-json-stringify-compiler': 'never-called.cjs',
  'light-my-request': 'never-called.cjs',
  '../locales/index.js': 'english.mjs',
}

/** @param {string} name of a package of this repository */
function readManifest(name) {
  return JSON.parse(readFileSync(path.join(packages, name, 'package.json'), 'utf8'))
}

/**
 * What a package that stays outside shares with who asks for it: both must load the same one, and not each its own.
 *
 * @param {string} name of a package, which may be missing
 */
function peersOf(name) {
  const file = path.join(packages, '..', 'node_modules', name, 'package.json')
  return existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')).peerDependencies ?? {}) : []
}

/** What is found in `node_modules` when it is asked for: what may be missing, and what is no JavaScript alone. */
function externals() {
  const hasSandbox = existsSync(path.join(packages, 'sandbox', 'src'))
  const optional = ['server', ...(hasSandbox ? ['sandbox'] : [])].flatMap((name) =>
    Object.keys(readManifest(name).optionalDependencies ?? {}),
  )
  const outside = optional.filter((name) => name !== '@svc/sandbox' || !hasSandbox)
  return [...outside, ...outside.flatMap(peersOf), 'gpt-tokenizer', 'pg-native', 'solc']
}

function threadScripts() {
  const folders = WITH_THREADS.map((name) => path.join(packages, name, 'src')).filter((folder) => existsSync(folder))
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => THREAD.test(file))
      .map((file) => path.join(folder, file)),
  )
}

/**
 * @param {readonly string[]} files
 * @returns {Promise<string[]>} the names of the files that were made
 */
async function bundle(files) {
  const { metafile } = await build({
    absWorkingDir: packages,
    // Names are unique: a second file of a name would fail the build.
    entryPoints: Object.fromEntries(files.map((file) => [path.basename(file, '.ts'), file])),
    outdir,
    bundle: true,
    // What is loaded late is a file of its own.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24.11',
    external: externals(),
    plugins: [lessOf(LESS), builtInModules(), ownAddresses(outdir), unmappedPackages()],
    // For packages that are CommonJS.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  const names = Object.keys(metafile.outputs).map((name) => path.basename(name))
  names.filter((name) => name.endsWith('.js')).forEach(refuseOtherThanAscii)
  return names
}

/**
 * One letter beyond ASCII makes Node keep the whole file in two bytes a letter, which costs a start time and memory.
 * esbuild escapes them, but not in regular expressions.
 *
 * @param {string} name of a file that was made
 */
function refuseOtherThanAscii(name) {
  const text = readFileSync(path.join(outdir, name), 'latin1')
  // oxlint-disable-next-line no-control-regex -- The whole of ASCII is meant.
  const found = /.{0,40}[^\u0000-\u007F]+/.exec(text)
  if (found !== null) throw new Error(`${name} has letters beyond ASCII. Write them as \\u{…}: ${found[0]}`)
}

mkdirSync(outdir, { recursive: true })
// Files of the build before stay: a gateway that runs may load one still.
const before = existsSync(listFile) ? readFileSync(listFile, 'utf8').split('\n') : []
const programs = GROUPS.map((names) => names.map((name) => path.join(packages, 'server', 'src', `${name}.ts`)))
const made = (await Promise.all([...programs, threadScripts()].map(bundle))).flat()
const kept = new Set([...before, ...made])
for (const name of readdirSync(outdir)) if (!name.startsWith('.') && !kept.has(name)) rmSync(path.join(outdir, name))
writeFileSync(listFile, made.join('\n'))
