import { type AlertGroup, TEST_TARGET } from '../alert.ts'

const calls = (outcome: string, values: string) => ({
  series: `svc_upstream_calls_total{upstream="u",operation="stream",outcome="${outcome}"}`,
  values,
})

/** What upstreams do to us. */
export const upstreamAlerts: AlertGroup = {
  name: 'svc-upstreams',
  alerts: [
    {
      name: 'SvcUpstreamErrors',
      severity: 'page',
      expr:
        'sum by (job, upstream) (rate(svc_upstream_calls_total{outcome="failed"}[10m])) > ' +
        '0.1 * sum by (job, upstream) (rate(svc_upstream_calls_total{outcome=~"ok|failed"}[10m]))',
      for: '10m',
      summary: 'More than one call in ten to an upstream fails.',
      fires: {
        series: [calls('ok', '0+8x40'), calls('failed', '0+2x40')],
        ...{ at: '30m', labels: { job: 'svc', upstream: 'u' } },
      },
      // A client that leaves is no failure of the upstream.
      quiet: { series: [calls('ok', '0+8x40'), calls('stopped', '0+8x40'), calls('failed', '0x40')], at: '30m' },
    },
    {
      name: 'SvcUpstreamAccount',
      severity: 'page',
      expr:
        'sum by (job, upstream) (increase(svc_upstream_failures_total{kind="our_account"}[10m])) > 0 or ' +
        'max by (job, upstream) (svc_upstream_circuit_state{model=""}) == 2',
      summary: 'An upstream refuses our key, or our credit with it is out.',
      fires: {
        series: [{ series: 'svc_upstream_failures_total{upstream="u",kind="our_account"}', values: '0x5 1x20' }],
        ...{ at: '8m', labels: { job: 'svc', upstream: 'u' } },
      },
      quiet: {
        series: [
          { series: 'svc_upstream_failures_total{upstream="u",kind="our_account"}', values: '3x30' },
          { series: 'svc_upstream_failures_total{upstream="u",kind="timeout"}', values: '0+1x30' },
          { series: 'svc_upstream_circuit_state{upstream="u",model="m"}', values: '2x30' },
        ],
        at: '20m',
      },
    },
    {
      name: 'SvcUpstreamKeyRests',
      severity: 'ticket',
      expr: 'min by (job, upstream, key) (svc_upstream_key_resting) == 1',
      for: '15m',
      summary: 'One of several keys of an upstream is refused, and the others do its work.',
      fires: {
        series: [{ series: 'svc_upstream_key_resting{upstream="u",key="KEY_ONE"}', values: '1x30' }],
        ...{ at: '20m', labels: { job: 'svc', upstream: 'u', key: 'KEY_ONE' } },
      },
      // It asked too often, and rests now and then.
      quiet: {
        series: [{ series: 'svc_upstream_key_resting{upstream="u",key="KEY_ONE"}', values: '1x10 0 1x9' }],
        at: '20m',
      },
    },
    {
      name: 'SvcUpstreamCircuitOpen',
      severity: 'ticket',
      expr: 'max by (job, upstream, model) (svc_upstream_circuit_state{model!=""}) == 2',
      for: '15m',
      summary: 'A model of an upstream fails again and again and is left alone.',
      fires: {
        series: [{ series: 'svc_upstream_circuit_state{upstream="u",model="m"}', values: '2x30' }],
        ...{ at: '20m', labels: { job: 'svc', upstream: 'u', model: 'm' } },
      },
      quiet: {
        series: [{ series: 'svc_upstream_circuit_state{upstream="u",model="m"}', values: '2x10 _x20' }],
        at: '20m',
      },
    },
    {
      name: 'SvcCatalogOld',
      severity: 'ticket',
      expr: 'svc_catalog_age_seconds > 86400',
      for: '30m',
      summary: 'The list of models and prices is a day old; with the sandbox that is its nature.',
      fires: {
        series: [{ series: 'svc_catalog_age_seconds', values: '86400+60x60' }],
        ...{ at: '40m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_catalog_age_seconds', values: '900x60' }], at: '40m' },
    },
    {
      name: 'SvcCatalogEmpty',
      severity: 'page',
      expr: 'svc_catalog_models == 0',
      for: '5m',
      summary: 'A gateway sells no model: it has no list, or none of its models has a price.',
      fires: { series: [{ series: 'svc_catalog_models', values: '0x20' }], at: '10m', labels: TEST_TARGET },
      quiet: { series: [{ series: 'svc_catalog_models', values: '0x3 300x20' }], at: '10m' },
    },
  ],
}
