import type { Config } from './config.ts'

/** Where a store is. */
export type StorePlace = Pick<Config, 'databaseUrl' | 'dataDir'>

/** Names a store for people: its data folder, or the address of its database. */
export function storeAddress({ databaseUrl, dataDir }: StorePlace): string {
  return databaseUrl === null ? dataDir : databaseAddress(databaseUrl)
}

/** The address of a database without its password and its parameters, which may hold one, too. */
export function databaseAddress(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.password = ''
  url.search = ''
  return url.href
}
