import { trimEndOf } from '@svc/contract'
import type { TracingConfig } from './config.ts'

/** Where a collector listens by default. Source: OpenTelemetry, OTLP exporter configuration. */
const COLLECTOR_URL = 'http://localhost:4318'

type Variables = Readonly<Record<string, string | undefined>>

export interface ResolvedTracing {
  /** Null makes no traces. */
  readonly tracing: TracingConfig | null
  readonly notices: readonly string[]
}

/**
 * Reads the variables of OpenTelemetry that say whether and where traces go. They may be there for other programs, too,
 * so what is not known here is a notice and no error. Source: OpenTelemetry, general SDK configuration and OTLP
 * exporter configuration.
 */
export function resolveTracing(env: Variables): ResolvedTracing {
  const read = (name: string): string | null => env[name]?.trim() || null
  const base = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const named = read('OTEL_TRACES_EXPORTER')
  const exporter = named ?? (base === null && endpoint === null ? 'none' : 'otlp')
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return { tracing: null, notices: [] }
  if (exporter !== 'otlp' && exporter !== 'console') {
    return {
      tracing: null,
      notices: ['OTEL_TRACES_EXPORTER names none of otlp, console and none: no traces are made.'],
    }
  }
  const url = endpoint ?? `${trimEndOf(base ?? COLLECTOR_URL, '/')}/v1/traces`
  if (!URL.canParse(url)) return { tracing: null, notices: ['The OTLP endpoint is no address: no traces are made.'] }
  const notices: string[] = []
  const protocol = readProtocol(
    read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL'),
    notices,
  )
  const sampling = readSampling(read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG'), notices)
  return { tracing: { exporter, url, protocol, ...sampling }, notices }
}

function readProtocol(text: string | null, notices: string[]): TracingConfig['protocol'] {
  if (text === 'http/json') return text
  if (text !== null && text !== 'http/protobuf') {
    notices.push('Traces go out by http/protobuf: of the OTLP protocols only it and http/json are spoken.')
  }
  return 'http/protobuf'
}

function readSampling(
  name: string | null,
  argument: string | null,
  notices: string[],
): Pick<TracingConfig, 'ratio' | 'followsCaller'> {
  const sampler = name ?? 'parentbased_always_on'
  const [, parent, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(sampler) ?? []
  if (kind === undefined) {
    notices.push('OTEL_TRACES_SAMPLER names no sampler that is known: every trace is kept.')
    return { ratio: 1, followsCaller: true }
  }
  return { ratio: ratioOf(kind, argument, notices), followsCaller: parent !== undefined }
}

function ratioOf(kind: string, argument: string | null, notices: string[]): number {
  if (kind !== 'traceidratio') return kind === 'always_on' ? 1 : 0
  const ratio = Number(argument ?? '1')
  if (ratio >= 0 && ratio <= 1) return ratio
  notices.push('OTEL_TRACES_SAMPLER_ARG is no part between 0 and 1: every trace is kept.')
  return 1
}
