/** Loads the package of the sandbox. Part of the composition. */
import { ConfigError } from '../config/config-error.ts'

/** What the package offers. */
export type SandboxPackage = typeof import('@svc/sandbox')

/**
 * The package of the sandbox; null where it is not installed. An installation for production may leave it out, so
 * nothing else imports it.
 */
export async function findSandbox(
  load: () => Promise<SandboxPackage> = () => import('@svc/sandbox'),
): Promise<SandboxPackage | null> {
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (isMissing && error.message.includes("'@svc/sandbox'")) return null
    throw error
  }
}

/** The same for a gateway whose configuration names the sandbox. @throws {ConfigError} where it is not installed. */
export async function loadSandbox(find = findSandbox): Promise<SandboxPackage> {
  const sandbox = await find()
  if (sandbox !== null) return sandbox
  throw new ConfigError([
    'The configuration uses the sandbox, whose package @svc/sandbox is not installed. Install it, or configure another upstream.',
  ])
}
