import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from './peer.ts'
import { runStep } from './run-step.ts'

const VERSION = '1.15.2'

/** Portkey's open gateway, from npm. */
export const portkey: Peer = {
  name: 'Portkey gateway',
  accounting: 'none: the open gateway has no keys and no billing',
  async install(folder) {
    if (!existsSync(join(folder, `installed-${VERSION}`))) {
      mkdirSync(folder, { recursive: true })
      const words = ['install', '--prefix', '.', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
      await runStep(folder, 'npm', [...words, `@portkey-ai/gateway@${VERSION}`])
      writeFileSync(join(folder, `installed-${VERSION}`), '')
    }
    return VERSION
  },
  async prepare(_context, { programFolder, port, upstream }) {
    const program = join(programFolder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')
    return {
      command: process.execPath,
      words: [program, `--port=${port}`, '--headless'],
      env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1' },
      readyPath: '/',
      target: {
        ...{ origin: `http://127.0.0.1:${port}`, path: '/v1/chat/completions', key: 'none' },
        headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` },
      },
    }
  },
}
