/** What esbuild does not do by itself. */
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'

/** A script that a thread is started with, as sources name it. */
const THREAD = /new URL\('(?:\.\/)?([\w.-]+[.-]worker)\.ts', import\.meta\.url\)/g

/** Members of Node's modules that it warns of where they are only read. */
const DEPRECATED = new Set(['fips', 'F_OK', 'R_OK', 'W_OK', 'X_OK'])

/** Texts of packages that are changed, with what comes in their place. */
const CHANGED = {
  // The router compiles a function for each part of each address, anew for each route that shares one: 4 % of a start.
  'find-my-way/lib/node.js': {
    from: /return new Function\('path', 'i', .*/,
    to: 'const rest = prefix.slice(1)\nreturn (path, i) => path.startsWith(rest, i + 1)',
  },
}

/** Maps a whole file to its first character: who reads a stack is told the file of a package and no more. */
const NO_MAP = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  JSON.stringify({ version: 3, sources: [''], names: [], mappings: 'AAAA' }),
).toString('base64')}\n`

/**
 * Our own files: what they find by their own address stays where it is beside the sources, but for the scripts of
 * threads, which are built, too.
 *
 * @param {string} outdir where the bundle comes
 * @returns {import('esbuild').Plugin}
 */
export function ownAddresses(outdir) {
  return {
    name: 'own-addresses',
    setup(build) {
      build.onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]src[\\/].*\.ts$/ }, async ({ path: file }) => {
        const text = await readFile(file, 'utf8')
        const own = path.relative(outdir, file).replaceAll(path.sep, '/')
        const contents = text
          .replaceAll(THREAD, (_whole, name) => `new URL('./${name}.js', import.meta["url"])`)
          .replaceAll('import.meta.url', `new URL('${own}', import.meta.url).href`)
        return { contents, loader: 'ts' }
      })
    },
  }
}

/**
 * Packages are left out of the map, which would be four times as long. A few have a text changed.
 *
 * @returns {import('esbuild').Plugin}
 * @throws {Error} when a package has not the text that is changed.
 */
export function unmappedPackages() {
  return {
    name: 'unmapped-packages',
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/].*\.(?:c|m)?js$/ }, async ({ path: file }) => ({
        contents: changedText(file, await readFile(file, 'utf8')) + NO_MAP,
        loader: 'js',
      }))
    },
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
function changedText(file, text) {
  const [, change] = Object.entries(CHANGED).find(([name]) => file.replaceAll(path.sep, '/').endsWith(name)) ?? []
  if (change === undefined) return text
  if (!change.from.test(text)) throw new Error(`${file} has not the text that the build changes.`)
  return text.replace(change.from, change.to)
}

/**
 * Node's own modules, taken without an import: that would read every member of each, and load what some of these stand
 * for. Source: decision 0147.
 *
 * @returns {import('esbuild').Plugin}
 */
export function builtInModules() {
  return {
    name: 'built-in-modules',
    setup(build) {
      build.onResolve({ filter: /^(?:node:)?[\w/]+$/ }, ({ path: name, kind }) => {
        if (!isBuiltin(name)) return undefined
        const full = name.startsWith('node:') ? name : `node:${name}`
        // What CommonJS asks for when it runs is asked of Node then.
        return kind === 'import-statement' ? { path: full, namespace: 'built-in' } : { path: full, external: true }
      })
      build.onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path: name }) => ({ contents: membersOf(name) }))
    },
  }
}

/** @param {string} name */
function membersOf(name) {
  const members = Object.getOwnPropertyNames(process.getBuiltinModule(name)).filter(
    (member) => member !== 'default' && /^[A-Za-z_$][\w$]*$/.test(member) && !DEPRECATED.has(member),
  )
  return [
    `const builtIn = /* @__PURE__ */ process.getBuiltinModule('${name}')`,
    'const memberOf = (name) => builtIn[name]',
    'export default builtIn',
    // Those that no file names are left out.
    ...members.map((member) => `const own_${member} = /* @__PURE__ */ memberOf('${member}')`),
    `export { ${members.map((member) => `own_${member} as ${member}`).join(', ')} }`,
  ].join('\n')
}

/**
 * Packages in whose place a file of this folder comes that has less.
 *
 * @param {Readonly<Record<string, string>>} files by what is imported; such a file may ask for the whole package
 * @returns {import('esbuild').Plugin}
 */
export function lessOf(files) {
  return {
    name: 'less-of',
    setup(build) {
      for (const [name, own] of Object.entries(files)) {
        const file = path.join(import.meta.dirname, own)
        build.onResolve({ filter: new RegExp(`^${name.replaceAll('.', '[.]')}$`) }, ({ importer }) =>
          importer === file ? undefined : { path: file },
        )
      }
    },
  }
}
