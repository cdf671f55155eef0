/** Hooks that start and stop the gateway of a test file or suite. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts'

/** Read when the gateway starts, so that they can name the addresses of what earlier hooks have started. */
type GatewaySettings = () => TestGatewayOptions

/**
 * Registers the hooks of one gateway for all tests of this file or suite. What it returns has its members from the next
 * hook on.
 */
export function useGateway(settings: GatewaySettings = () => ({})): TestGateway {
  const gateway = {} as TestGateway
  beforeAll(async () => void Object.assign(gateway, await startTestGateway(settings())))
  afterAll(() => gateway.stop())
  return gateway
}

/** The same with a new gateway for each test, for tests that need a balance, limits or records of their own. */
export function useGatewayPerTest(settings: GatewaySettings = () => ({})): TestGateway {
  const gateway = {} as TestGateway
  beforeEach(async () => void Object.assign(gateway, await startTestGateway(settings())))
  afterEach(() => gateway.stop())
  return gateway
}
