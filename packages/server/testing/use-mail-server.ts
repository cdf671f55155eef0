import { afterAll, beforeAll } from 'vitest'
import { startMailServer, type TestMailServer } from './mail-server.ts'

/**
 * Registers the hooks of a mail server that takes emails while the tests of this file or suite run. What it returns has
 * its members from the next hook on.
 */
export function useMailServer(): TestMailServer {
  const mail = {} as TestMailServer
  beforeAll(async () => void Object.assign(mail, await startMailServer()))
  afterAll(() => mail.close())
  return mail
}
