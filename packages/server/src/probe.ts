/**
 * Composition root of the health check of an image, which has no other program to ask with: exits with 0 where the
 * gateway on this machine says that it can take requests, else with 1 and the reason. `probe.ts live` asks whether the
 * process answers at all. Reads one variable and loads nothing, as it runs every few seconds. Never imported.
 */
/** Source: the health check's own limit in the Dockerfile, 3 s. */
const ANSWER_MS = 2_500
const LONGEST_REASON = 500

const path = process.argv[2] === 'live' ? '/live' : '/ready'
const port = (process.env['SVC_ADMIN_PORT'] ?? '').trim()

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

if (!/^\d{1,5}$/.test(port)) fail('SVC_ADMIN_PORT is not set: the admin port answers probes.')
// Not imported, which would load all of Node's `fetch`. Source: decision 0147.
const { request } = process.getBuiltinModule('node:http')
const asked = request({ host: 'localhost', port, path, timeout: ANSWER_MS }, (answer) => {
  let text = ''
  answer.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(0, LONGEST_REASON)))
  answer.on('end', () => (answer.statusCode === 200 ? process.exit(0) : fail(text)))
})
asked.on('timeout', () => fail(`No answer within ${ANSWER_MS} ms.`))
asked.on('error', (error) => fail(error.message))
asked.end()
