/** A real Prometheus beside a gateway: it scrapes it and evaluates the rules that ship. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import { withMatchers } from '../../tools/monitoring/expression.ts'
import { until } from '../rig/until.ts'

const RULES = path.join(path.dirname(path.dirname(import.meta.dirname)), 'deploy/prometheus/svc.rules.yml')

/** One line of an answer: its labels, and its values with their times in seconds. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly (readonly [seconds: number, value: number])[]
}

export interface Prometheus {
  /** What a panel's query says of the last so many seconds. @throws where Prometheus refuses it. */
  ask(expr: string, seconds: number): Promise<readonly Series[]>
  /** Names of the alerts that fire or are about to; it fails where a rule cannot be evaluated. */
  alerts(): Promise<readonly string[]>
  stop(): Promise<void>
}

interface Matrix {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [number, string])[]
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly name: string; readonly state: string; readonly health: string }[]
  }[]
}

/** Starts one. @param target origin of the admin port of a gateway. @param folder an empty one, for its data. */
export async function startPrometheus(target: string, folder: string): Promise<Prometheus> {
  const config = path.join(folder, 'prometheus.yml')
  const text = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'svc', static_configs: [{ targets: [new URL(target).host] }] }],
  }
  await writeFile(config, JSON.stringify(text))
  const origin = `http://127.0.0.1:${await findFreePort()}`
  const words = [`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`]
  const child = spawn('prometheus', [...words, `--web.listen-address=${new URL(origin).host}`], {
    ...{ env: childEnvironment(), stdio: 'ignore' },
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const get = async <Answer>(page: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const response = await fetch(`${origin}${page}?${new URLSearchParams(query).toString()}`)
    const answer = (await response.json()) as { status: string; error?: string; data: Answer }
    if (answer.status !== 'success') throw new Error(`${query['query'] ?? page}: ${answer.error ?? response.status}`)
    return answer.data
  }
  const isReady = (): Promise<boolean> =>
    fetch(`${origin}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (!(await until(isReady, 60_000))) throw new Error('Prometheus does not become ready')
  return {
    async ask(expr, seconds) {
      const now = Date.now() / 1_000
      const query = withMatchers(expr, 'job=~".*"').replaceAll('$__rate_interval', '15s')
      const range = { query, start: `${now - seconds}`, end: `${now}`, step: `${Math.max(1, seconds / 120)}` }
      const { result } = await get<{ readonly result: readonly Matrix[] }>('/api/v1/query_range', range)
      return result.map(({ metric, values }) => ({
        labels: metric,
        values: values.map(([at, value]) => [at, Number(value)] as const),
      }))
    },
    async alerts() {
      const rules = (await get<Rules>('/api/v1/rules')).groups.flatMap((group) => group.rules)
      const broken = rules.filter(({ health }) => health === 'err').map(({ name }) => name)
      if (broken.length > 0) throw new Error(`${broken.join(', ')} cannot be evaluated`)
      return rules.filter(({ state }) => state !== 'inactive').map(({ name }) => name)
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
