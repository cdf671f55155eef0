import type { BenchContext } from './bench-context.ts'
import type { ProxySettings } from './program-settings.ts'
import type { Side } from './side.ts'

/** Starts the baseline. @param env what it needs besides the usual, such as a trusted certificate. */
export async function startBareProxy(
  { children }: BenchContext,
  settings: ProxySettings,
  env: NodeJS.ProcessEnv = {},
): Promise<Side> {
  const { child, port } = await children.start('bare-proxy', settings, env)
  const target = { origin: `http://127.0.0.1:${port}`, path: '/v1/chat/completions', key: 'none' }
  return { name: settings.books === undefined ? 'bare proxy' : 'booking proxy', targets: [target], processes: [child] }
}
