/** Starts PostgreSQL once per test run and prepares the templates that test databases are copied from. */
import type { TestProject } from 'vitest/node'
import { startPostgresServer } from './postgres-server.ts'
import { createSqliteTemplate, createTemplateDatabase } from './template-database.ts'

/** Vitest calls this before the first test file and the returned function after the last. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const template = await createSqliteTemplate()
  project.provide('sqliteTemplate', template.path)
  const stopPostgres = await providePostgres(project)
  return async () => {
    await stopPostgres()
    await template.remove()
  }
}

/** @returns what stops the server, if one was started. */
async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SVC_TEST_DATABASE_URL']
  if (given !== undefined && given !== '') {
    await createTemplateDatabase(given)
    project.provide('postgresUrl', given)
    return async () => {}
  }
  try {
    const server = await startPostgresServer()
    await createTemplateDatabase(server.url)
    project.provide('postgresUrl', server.url)
    return () => server.stop()
  } catch (error) {
    if (process.env['CI'] === 'true') throw error
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    console.warn(`PostgreSQL tests are skipped: ${reason}. Set SVC_TEST_DATABASE_URL to use a server of your own.`)
    project.provide('postgresUrl', null)
    return async () => {}
  }
}
