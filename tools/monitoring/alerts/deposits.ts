import type { AlertGroup } from '../alert.ts'

const chain = { job: 'svc', chain: '4663' }

/** Chains, deposits, and the sweeper. */
export const depositAlerts: AlertGroup = {
  name: 'svc-deposits',
  alerts: [
    {
      name: 'SvcChainBehind',
      severity: 'page',
      expr: 'min by (job, chain) (svc_chain_watch_age_seconds) > 300',
      for: '2m',
      summary: 'No round of the watcher of a chain has ended well for five minutes: deposits are not seen.',
      fires: {
        series: [{ series: 'svc_chain_watch_age_seconds{chain="4663"}', values: '200+60x20' }],
        ...{ at: '10m', labels: chain },
      },
      quiet: { series: [{ series: 'svc_chain_watch_age_seconds{chain="4663"}', values: '4x20' }], at: '10m' },
    },
    {
      name: 'SvcChainLag',
      severity: 'ticket',
      expr:
        'max by (job, chain) (svc_chain_watch_lag_blocks) > 1000 and ' +
        'max by (job, chain) (svc_chain_watch_lag_blocks) >= max by (job, chain) (svc_chain_watch_lag_blocks offset 10m)',
      for: '10m',
      summary: 'Final blocks come faster than the watcher looks through them.',
      fires: {
        series: [{ series: 'svc_chain_watch_lag_blocks{chain="4663"}', values: '900+60x40' }],
        ...{ at: '30m', labels: chain },
      },
      // It catches up.
      quiet: { series: [{ series: 'svc_chain_watch_lag_blocks{chain="4663"}', values: '9000-100x40' }], at: '30m' },
    },
    {
      name: 'SvcChainUnwatched',
      severity: 'page',
      expr: 'count by (job, chain) (svc_chain_latest_block) unless on (job, chain) svc_chain_watch_age_seconds',
      for: '10m',
      summary: 'No process watches a chain.',
      fires: {
        series: [{ series: 'svc_chain_latest_block{chain="4663"}', values: '5x30' }],
        ...{ at: '15m', labels: chain },
      },
      quiet: {
        series: [
          { series: 'svc_chain_latest_block{chain="4663"}', values: '5x30' },
          { series: 'svc_chain_watch_age_seconds{chain="4663"}', values: '3x30' },
        ],
        at: '15m',
      },
    },
    {
      name: 'SvcChainProviders',
      severity: 'ticket',
      expr:
        'sum by (job, chain, provider) (rate(svc_chain_questions_total{outcome!="ok"}[10m])) > ' +
        '0.5 * sum by (job, chain, provider) (rate(svc_chain_questions_total[10m]))',
      for: '10m',
      summary: 'A provider of a chain fails half of its questions; without two, deposits wait for an operator.',
      fires: {
        series: [
          { series: 'svc_chain_questions_total{chain="4663",provider="0",outcome="ok"}', values: '0+1x40' },
          { series: 'svc_chain_questions_total{chain="4663",provider="0",outcome="unavailable"}', values: '0+9x40' },
        ],
        ...{ at: '30m', labels: { ...chain, provider: '0' } },
      },
      quiet: {
        series: [
          { series: 'svc_chain_questions_total{chain="4663",provider="0",outcome="ok"}', values: '0+9x40' },
          { series: 'svc_chain_questions_total{chain="4663",provider="0",outcome="unavailable"}', values: '0+1x40' },
        ],
        at: '30m',
      },
    },
    {
      name: 'SvcDepositsUnderReview',
      severity: 'ticket',
      expr: 'max by (job, chain) (svc_database_deposits_waiting{state="under_review"}) > 0',
      for: '5m',
      summary: 'A deposit is doubtful and waits for an operator.',
      fires: {
        series: [{ series: 'svc_database_deposits_waiting{chain="4663",state="under_review"}', values: '1x20' }],
        ...{ at: '10m', labels: chain },
      },
      quiet: {
        series: [{ series: 'svc_database_deposits_waiting{chain="4663",state="confirming"}', values: '4x20' }],
        at: '10m',
      },
    },
    {
      name: 'SvcDepositsStuck',
      severity: 'page',
      expr: 'max by (job, chain) (svc_database_deposits_oldest_age_seconds{state=~"seen|confirming"}) > 3600',
      for: '5m',
      summary: 'A deposit was seen an hour ago and is not credited yet.',
      fires: {
        series: [
          { series: 'svc_database_deposits_oldest_age_seconds{chain="4663",state="confirming"}', values: '3500+60x20' },
        ],
        ...{ at: '10m', labels: chain },
      },
      quiet: {
        series: [
          { series: 'svc_database_deposits_oldest_age_seconds{chain="4663",state="under_review"}', values: '7200x20' },
          { series: 'svc_database_deposits_oldest_age_seconds{chain="4663",state="confirming"}', values: '600x20' },
        ],
        at: '10m',
      },
    },
    {
      name: 'SvcSweeperStuck',
      severity: 'ticket',
      expr: 'max by (job) (svc_database_outflows_oldest_age_seconds) > 3600',
      for: '5m',
      summary: 'Coins are on their way to the treasury for an hour: the sweeper stands still.',
      fires: { series: [{ series: 'svc_database_outflows_oldest_age_seconds', values: '3500+60x20' }], at: '10m' },
      quiet: { series: [{ series: 'svc_database_outflows_oldest_age_seconds', values: '0x20' }], at: '10m' },
    },
    {
      name: 'SvcSweeperFailed',
      severity: 'ticket',
      expr:
        '(max by (job, chain, asset) (svc_database_outflows{state="failed"}) > ' +
        'max by (job, chain, asset) (svc_database_outflows{state="failed"} offset 1h)) or ' +
        '(max by (job, chain, asset) (svc_database_outflows{state="failed"}) unless ' +
        'max by (job, chain, asset) (svc_database_outflows{state="failed"} offset 1h))',
      for: '5m',
      summary: 'A payment to the treasury has failed.',
      fires: {
        series: [{ series: 'svc_database_outflows{chain="4663",asset="USDG",state="failed"}', values: '1x80 2x20' }],
        ...{ at: '95m', labels: { ...chain, asset: 'USDG' } },
      },
      quiet: {
        series: [{ series: 'svc_database_outflows{chain="4663",asset="USDG",state="failed"}', values: '2x100' }],
        at: '95m',
      },
    },
  ],
}
