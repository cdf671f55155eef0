/** What a build leaves of those before it. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

/** Names the scripts, styles and fonts of the last build. */
const LIST = '.files'
const COMPRESSED = /\.(?:br|gz)$/

/**
 * Keeps the scripts, styles and fonts of the build before, and removes older ones: pages that are open load them still,
 * and a gateway that runs serves whole pages while the next ones are written.
 */
export function keepLastBuild(): Plugin {
  let folder = ''
  let publicFolder = ''
  return {
    name: 'svc-keep-last-build',
    apply: 'build',
    config: () => ({ build: { emptyOutDir: false } }),
    configResolved({ root, publicDir, build }) {
      folder = path.join(root, build.outDir)
      publicFolder = publicDir
    },
    writeBundle(_options, bundle) {
      const list = path.join(folder, LIST)
      const before = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
      const made = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
      const kept = new Set([...before, ...made])
      for (const file of readdirSync(path.join(folder, 'assets'))) {
        const name = `assets/${file.replace(COMPRESSED, '')}`
        if (!kept.has(name) && !existsSync(path.join(publicFolder, name))) rmSync(path.join(folder, 'assets', file))
      }
      writeFileSync(list, made.join('\n'))
    },
  }
}
