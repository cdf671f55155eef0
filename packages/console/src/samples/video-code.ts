/** A video as code in each language: submitted, asked for until it is completed, and downloaded. Pure. */
import { type Body, type CodePlace, curl, needs, nodeFiles, pythonFiles, type Sample } from './code-parts.ts'
import { javaScript, pythonArguments, withFiles } from './literals.ts'

/** @param path where it is submitted: one for OpenAI's and OpenRouter's clients, or the gateway's own. */
export function videoCode(
  place: CodePlace,
  request: Body,
  path: '/videos' | '/videos/generations' = '/videos',
): readonly Sample[] {
  const { value, files } = withFiles(request)
  const body = value as Body
  const { install, code } = curl(place, path, body, { files, flags: '-sS ' })
  return [
    {
      name: 'curl',
      install,
      // The answer is shown: it says what is wrong where there is no id.
      code: `VIDEO=$(${code})
printf '%s\\n' "$VIDEO"
VIDEO_ID=$(printf %s "$VIDEO" | sed -nE 's/^\\{"id":"([^"]+)".*/\\1/p')
[ -n "$VIDEO_ID" ] &&
while curl -sS "${place.baseUrl}/videos/$VIDEO_ID" -H "Authorization: Bearer ${place.key}" |
  grep -qE '"status":"(queued|in_progress)"'; do sleep 5; done &&
curl -sSf -o video.mp4 "${place.baseUrl}/videos/$VIDEO_ID/content" -H "Authorization: Bearer ${place.key}"`,
    },
    {
      name: 'Python',
      install: needs('pip install requests', files),
      code: `${pythonFiles(files)}import time
import requests

headers = {"Authorization": "Bearer ${place.key}"}
job = requests.post("${place.baseUrl}${path}", headers=headers, json=dict(
${pythonArguments(body)})).json()
while job.get("status") in ("queued", "in_progress"):
    time.sleep(5)
    job = requests.get(f"${place.baseUrl}/videos/{job['id']}", headers=headers).json()
if job.get("status") != "completed":
    raise SystemExit(job["error"]["message"])
open("video.mp4", "wb").write(requests.get(job["unsigned_urls"][0]).content)`,
    },
    {
      name: 'Node',
      install: needs(null, files),
      code: `${nodeFiles(files)}import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const headers = { authorization: 'Bearer ${place.key}', 'content-type': 'application/json' }
const body = JSON.stringify(${javaScript(body)})
let job = await (await fetch('${place.baseUrl}${path}', { method: 'POST', headers, body })).json()
while (['queued', 'in_progress'].includes(job.status)) {
  await setTimeout(5_000)
  job = await (await fetch(\`${place.baseUrl}/videos/\${job.id}\`, { headers })).json()
}
if (job.status !== 'completed') throw new Error(job.error.message)
await writeFile('video.mp4', new Uint8Array(await (await fetch(job.unsigned_urls[0])).arrayBuffer()))`,
    },
  ]
}
