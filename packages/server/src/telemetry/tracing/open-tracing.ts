/**
 * OpenTelemetry's SDK as a `Tracing`. Imported only where tracing is on: the packages are optional, and take time to
 * load.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { IncomingHeaders, RunningSpan, SpanFacts, Tracing } from './tracing.ts'

/** Where spans go, and how many. */
export interface TracingOptions {
  readonly exporter: 'otlp' | 'console'
  /** Address of the traces' endpoint; used by `otlp` alone. */
  readonly url: string
  readonly protocol: 'http/protobuf' | 'http/json'
  /** Part of the traces that are kept, from 0 to 1. */
  readonly ratio: number
  /** Whether a caller's own decision, in its `traceparent`, goes before the ratio. */
  readonly followsCaller: boolean
  /** Through which the collector is reached; null for a direct connection. */
  readonly proxy: URL | null
  readonly version: string
}

/** How long the stop waits for the last spans, in milliseconds: a collector that is gone must not keep the process. */
const CLOSE_MS = 3_000

async function createExporter(options: TracingOptions): Promise<SpanExporter> {
  if (options.exporter === 'console') return new ConsoleSpanExporter()
  const { OTLPTraceExporter } =
    options.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  const { url, proxy } = options
  if (proxy === null) return new OTLPTraceExporter({ url })
  const proxyEnv = { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href }
  return new OTLPTraceExporter({ url, httpAgentOptions: { keepAlive: true, proxyEnv } })
}

/**
 * Reports the first failure after a success: a collector that stays away is one line in the log, not one every few
 * seconds.
 */
function watchExporter(exporter: SpanExporter, onFailing: (error: unknown) => void): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS
        if (failed && !isFailing) onFailing(result.error)
        isFailing = failed
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

function createSampler({ ratio, followsCaller }: TracingOptions): Sampler {
  const root = ratio >= 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio)
  return followsCaller ? new ParentBasedSampler({ root }) : root
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`
}

/** Attributes without what is undefined. */
function attributesOf(facts: SpanFacts) {
  const told = Object.entries(facts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(told.map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]))
}

function running(span: Span): RunningSpan {
  return {
    tell: (facts) => void span.setAttributes(attributesOf(facts)),
    end: (errorCode) => {
      // Messages of errors may quote a request; the code alone is recorded.
      if (errorCode !== null) span.setAttribute('error.type', errorCode).setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    get traceparent() {
      return traceparentOf(span)
    },
  }
}

/** Builds a tracing on a tracer. */
export function createTracing(tracer: Tracer, close: () => Promise<void>): Tracing {
  const current = new AsyncLocalStorage<Context>()
  const propagator = new W3CTraceContextPropagator()
  const contextOf = (headers: IncomingHeaders): Context =>
    propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  const child = (name: string, kind: SpanKind, facts: SpanFacts): RunningSpan | null => {
    const parent = current.getStore()
    if (parent === undefined) return null
    return running(tracer.startSpan(name, { kind, attributes: attributesOf(facts) }, parent))
  }
  return {
    serve: (name, { headers, facts }, proceed) => {
      const parent = contextOf(headers)
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: attributesOf(facts) }, parent)
      current.run(trace.setSpan(parent, span), proceed)
      return running(span)
    },
    call: (name, facts) => child(name, SpanKind.CLIENT, facts),
    step: (name, facts) => child(name, SpanKind.INTERNAL, facts),
    close,
  }
}

/**
 * Opens the way to a collector. Headers, time-outs and certificates come from the variables of OpenTelemetry.
 *
 * @param onFailing called when spans cannot be sent any more; they are lost, requests go on.
 */
export async function openTracing(options: TracingOptions, onFailing: (error: unknown) => void): Promise<Tracing> {
  const service = resourceFromAttributes({ 'service.name': 'svc', 'service.version': options.version })
  const resource = defaultResource()
    .merge(service)
    .merge(detectResources({ detectors: [envDetector] }))
  const exporter = watchExporter(await createExporter(options), onFailing)
  const processor = new BatchSpanProcessor({ exporter })
  const provider = new TracerProvider({ resource, sampler: createSampler(options), spanProcessors: [processor] })
  const shutdown = async (): Promise<void> => {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, CLOSE_MS)
    await Promise.race([provider.shutdown().catch(() => undefined), timeout.promise])
    clearTimeout(timer)
  }
  return createTracing(provider.getTracer('svc', options.version), shutdown)
}
