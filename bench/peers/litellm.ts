import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from './peer.ts'
import { runStep } from './run-step.ts'

const VERSION = '1.108.7'
const KEY = 'sk-bench'

/** LiteLLM's proxy, from PyPI, with one worker: as many as a gateway of ours. */
export const litellm: Peer = {
  name: 'LiteLLM proxy',
  accounting: 'one key; no database, so no spend and no budgets',
  async install(folder) {
    const bin = join(folder, 'venv', 'bin')
    if (!existsSync(join(folder, `installed-${VERSION}`))) {
      mkdirSync(folder, { recursive: true })
      await runStep(folder, 'python3', ['-m', 'venv', 'venv'])
      await runStep(folder, join(bin, 'pip'), ['install', '--quiet', `litellm[proxy]==${VERSION}`])
      writeFileSync(join(folder, `installed-${VERSION}`), '')
    }
    return VERSION
  },
  async prepare(_context, { programFolder, dataFolder, port, upstream }) {
    const config = join(dataFolder, 'config.yaml')
    writeFileSync(
      config,
      JSON.stringify({
        model_list: [
          {
            model_name: 'svc-gpt',
            litellm_params: { model: 'openai/gpt-4o', api_base: `${upstream}/v1`, api_key: 'none' },
          },
        ],
        litellm_settings: { telemetry: false },
        general_settings: { master_key: KEY },
      }),
    )
    return {
      command: join(programFolder, 'venv', 'bin', 'litellm'),
      words: ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
      // The list of prices that comes with it: none is fetched.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
      readyPath: '/health/liveliness',
      target: { origin: `http://127.0.0.1:${port}`, path: '/v1/chat/completions', key: KEY },
    }
  },
}
