/** The files of `deploy/postgres-cluster`, filled in as an operator does it. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../../../deploy/postgres-cluster/', import.meta.url)

export type TemplateName = 'etcd.yml' | 'patroni.yml' | 'haproxy.cfg' | 'pgbouncer.ini' | 'userlist.txt'

/** What the templates leave open, by name. */
export type TemplateValues = Readonly<Record<string, string>>

/** @throws when the template names something that has no value. */
export async function fillTemplate(name: TemplateName, values: TemplateValues): Promise<string> {
  const text = await readFile(fileURLToPath(new URL(name, FOLDER)), 'utf8')
  return text.replaceAll(/\$\{(\w+)\}/g, (_whole, variable: string) => {
    const value = values[variable]
    if (value === undefined) throw new Error(`${name} leaves ${variable} open`)
    return value
  })
}

/** Fills one in and writes it, with what `change` makes of it. */
export async function writeTemplate(
  path: string,
  name: TemplateName,
  values: TemplateValues,
  change: (text: string) => string = (text) => text,
): Promise<void> {
  await writeFile(path, change(await fillTemplate(name, values)), { mode: 0o644 })
}
