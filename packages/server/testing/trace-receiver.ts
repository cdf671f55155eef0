/** A collector of traces for tests: it takes OTLP over HTTP, as JSON, and keeps the spans. */
import { createServer } from 'node:http'
import { listenOnLoopback } from './loopback-server.ts'

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first of a trace. */
  readonly parentSpanId: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  /** 0 unset, 2 error. */
  readonly statusCode: number
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface TraceReceiver {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is set to. */
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** Every body that came, as it came. */
  readonly bodies: Buffer[]
  readonly contentTypes: string[]
  readonly paths: string[]
  close(): Promise<void>
}

interface WireValue {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly WireValue[] }
}

interface WireSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly status?: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: WireValue }[]
}

interface WireBody {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[] }[]
}

function valueOf(value: WireValue): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(valueOf)
  if (value.intValue !== undefined) return Number(value.intValue)
  return value.stringValue ?? value.doubleValue ?? value.boolValue
}

function spanOf(span: WireSpan): ReceivedSpan {
  return {
    name: span.name,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    kind: span.kind,
    statusCode: span.status?.code ?? 0,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, valueOf(value)])),
  }
}

/** Starts one on a free port. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const contentTypes: string[] = []
  const paths: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const contentType = request.headers['content-type'] ?? ''
      bodies.push(body)
      contentTypes.push(contentType)
      paths.push(request.url ?? '')
      if (contentType === 'application/json') {
        const { resourceSpans } = JSON.parse(body.toString('utf8')) as WireBody
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans.map(spanOf))))
      }
      response.writeHead(200, { 'content-type': contentType }).end(contentType === 'application/json' ? '{}' : '')
    })
  })
  const { origin: url, close } = await listenOnLoopback(server)
  return { url, close, spans, bodies, contentTypes, paths }
}
