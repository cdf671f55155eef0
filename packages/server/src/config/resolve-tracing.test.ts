import { describe, expect, test } from 'vitest'
import { resolveTracing } from './resolve-tracing.ts'

const defaults = { exporter: 'otlp', protocol: 'http/protobuf', ratio: 1, followsCaller: true }

describe('traces', () => {
  test('are off unless a variable asks for them', () => {
    expect(resolveTracing({})).toEqual({ tracing: null, notices: [] })
    expect(resolveTracing({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: ' ' }).tracing).toBeNull()
  })

  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/t', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' }, 'http://c/t'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
  ])('with %o go to %s', (env, url) => {
    expect(resolveTracing(env)).toEqual({ tracing: { ...defaults, url }, notices: [] })
  })

  test.each([
    { OTEL_SDK_DISABLED: 'TRUE', OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' },
  ])('are turned off by %o', (env) => {
    expect(resolveTracing(env)).toEqual({ tracing: null, notices: [] })
  })

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'no address' }, null],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, defaults],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'xray' }, defaults],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, { ratio: 1 }],
  ])('with %o are made as far as it is known, and one notice says so', (env, tracing) => {
    const resolved = resolveTracing(env)
    if (tracing === null) expect(resolved.tracing).toBeNull()
    else expect(resolved.tracing).toMatchObject(tracing)
    expect(resolved.notices).toHaveLength(1)
  })

  test.each([
    ['always_on', undefined, { ratio: 1, followsCaller: false }],
    ['parentbased_always_off', undefined, { ratio: 0, followsCaller: true }],
    ['parentbased_traceidratio', '0.25', { ratio: 0.25, followsCaller: true }],
    ['traceidratio', undefined, { ratio: 1, followsCaller: false }],
  ])('with the sampler %s and %s are kept accordingly', (name, argument, sampling) => {
    const env = { OTEL_TRACES_EXPORTER: 'console', OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }
    expect(resolveTracing(env)).toMatchObject({ tracing: { exporter: 'console', ...sampling }, notices: [] })
  })
})
