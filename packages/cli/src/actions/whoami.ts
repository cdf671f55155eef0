/** `svc whoami`: which gateway, which key. */
import type { Context } from '../context.ts'
import { printJson } from '../print-json.ts'

export async function whoami(context: Context): Promise<void> {
  const { client, endpoints, settings } = await context.api()
  const { terminal } = context
  const { key, team_id: team } = await client.call(endpoints.getBalance, {}, { signal: terminal.signal })
  if (context.options.json === true) {
    const { baseUrl, profile, keySource } = settings
    await printJson(terminal.out, { base_url: baseUrl, profile, key_source: keySource, team_id: team, key })
    return
  }
  const source = settings.keySource === 'environment' ? 'from SVC_API_KEY' : `from the profile "${settings.profile}"`
  const expiry = key.expires_at === null ? '' : `, until ${new Date(key.expires_at * 1_000).toISOString().slice(0, 10)}`
  await terminal.out.line(`Gateway  ${settings.baseUrl}`)
  await terminal.out.line(`Key      ${key.name} (${key.prefix}) ${source}${expiry}`)
  if (team !== null) await terminal.out.line(`Team     ${team}`)
}
