import { expect, test } from 'vitest'
import { createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'

describeEachEngine('the sandbox', (engine) => {
  const gateway = useGateway(() => ({ engine }))

  test('lets in every browser that is the first at the same moment, as one person', async () => {
    const browsers = Array.from({ length: 6 }, () => createBrowserSession(gateway.baseUrl))
    await Promise.all(browsers.map((browser) => browser.json('POST', '/auth/sign-in/demo', {})))
    const people = await gateway.gateway.database.read.selectFrom('sign_in_user').select('name').execute()
    expect(people).toEqual([{ name: 'Demo' }])
  })
})
