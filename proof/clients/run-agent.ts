/** One coding agent: a folder with a file, a request to edit it, and the loop that leads to the edited file. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { AgentClient, FeatureName, FeatureResult } from './client.ts'
import type { ClientStage } from './client-stage.ts'
import { DONE } from './played-upstream.ts'
import { runProgram } from './run-program.ts'

/** What the file says before and after. */
const OLD = 'old\n'
const NEW = 'new\n'
const FILE = 'note.txt'

const LOOP_MS_MAX = 180_000

/** Runs the loop: the file is edited, the agent ends well, and it has shown the model's last sentence. */
export async function runAgent(client: AgentClient, folder: string, stage: ClientStage): Promise<FeatureResult[]> {
  const { played, upstream } = stage
  // Below the home folder: some agents refuse one below the folder for temporary files.
  const place = await mkdtemp(path.join(folder, 'run-'))
  const [home, work] = [path.join(place, 'home'), path.join(place, 'work')]
  await Promise.all([mkdir(home), mkdir(work)])
  const file = path.join(work, FILE)
  await writeFile(file, OLD)
  const { words, env, files = {} } = client.start({ baseUrl: played.baseUrl, key: played.key, home, work })
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true })
    await writeFile(path.join(home, name), text)
  }
  upstream.play({ calls: client.calls, says: client.says ?? DONE, file })
  const command = path.resolve(folder, client.command)
  const ran = await runProgram({ command, words, cwd: work, env: { HOME: home, ...env }, withinMs: LOOP_MS_MAX })
  const edited = await readFile(file, 'utf8').catch(() => '')
  const asked = upstream.chats.length
  await rm(place, { recursive: true, force: true })
  const passed = ran.code === 0 && edited === NEW && asked > 0
  const used: FeatureName[] = [client.form, 'edits']
  if (client.calls.length > 0) used.push('tools')
  if (upstream.chats.some(({ wantsStream }) => wantsStream)) used.push('stream')
  if (passed) return used.map((feature) => ({ feature, passed }))
  const said = `${ran.out.trim().slice(-500)} ${ran.error.trim().slice(-500)}`
  const why = `ended with ${ran.code}, ${asked} requests, file: ${JSON.stringify(edited)}; ${[...upstream.faults, said].join('; ')}`
  return [{ feature: 'edits', passed, why }]
}
