/** Writes the dashboard and the rules of alerts from what `tools/monitoring` says: `node tools/make-monitoring.ts`. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { renderMonitoring } from './monitoring/monitoring.ts'

const root = path.dirname(import.meta.dirname)
for (const [file, content] of renderMonitoring()) {
  await mkdir(path.join(root, path.dirname(file)), { recursive: true })
  await writeFile(path.join(root, file), content)
}
