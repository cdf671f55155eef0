const UNREACHED = new RegExp(
  '\\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENETDOWN|ERR_SOCKET_TIMEOUT|' +
    'EIDLETIMEOUT|FETCH_ERROR)\\b|socket hang up|network timeout',
  'i',
)

/** What npm prints when an install fails, and what a person can do about it; the first row that fits wins. */
const REASONS = /** @type {const} */ ([
  [/\bENOSPC\b/, 'the disk is full. Free some space and start again.'],
  [
    /\b(EACCES|EPERM|EROFS)\b/,
    'no permission to write (this folder, or the npm cache). Start as the owner of the folder, or make it writable.',
  ],
  [
    UNREACHED,
    'the npm registry could not be reached. Connect to the network (or set the proxy of npm) and start again.',
  ],
  [/\b(ENOTEMPTY|EBUSY)\b/, 'something else changes node_modules at the same time. Start again when it is done.'],
  [/\bENOTCACHED\b/, 'npm is set to work offline and its cache lacks a package. Start once with the network.'],
  [
    /\b(SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_)/,
    'the certificate of the npm registry is not trusted here. Set `cafile` in the npm configuration and start again.',
  ],
  [/\b(E401|E403|ENEEDAUTH)\b/, 'the npm registry refused access. Check the npm configuration and start again.'],
  [
    /\bEUSAGE\b|in sync/,
    'package.json and package-lock.json disagree. Run `npm install` with Node 24 and commit the lock file.',
  ],
  [/\b(E404|ETARGET|ENOVERSIONS)\b/, 'the npm registry lacks a package version that the lock file names.'],
  [/\bEINTEGRITY\b/, 'a package differs from what the lock file names. Run `npm cache clean --force` and start again.'],
])

/**
 * One line that says why an install failed and what to do.
 *
 * @param {string} what what was being installed
 * @param {string} output what npm printed
 */
export function explainFailure(what, output) {
  const reason = REASONS.find(([pattern]) => pattern.test(output))
  if (reason !== undefined) return `${what} could not be installed: ${reason[1]}`
  const lines = output.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
  const said =
    lines.find((line) => line !== '' && !/^(code|syscall|errno|path|dest) /.test(line)) ?? 'npm gave no reason'
  return `${what} could not be installed: ${said}`
}
