import { lines, type PanelRow } from '../panel.ts'

export const deposits: PanelRow = {
  title: 'Deposits and chains',
  panels: [
    lines('Deposits credited', 'short', 'In an hour, by chain and coin.', [
      'sum by (chain, asset) (increase(svc_deposits_credited_total[1h]))',
      '{{chain}} {{asset}}',
    ]),
    lines(
      'Deposits that wait',
      'short',
      'under_review waits for an operator.',
      ['max by (chain, state) (svc_database_deposits_waiting)', '{{chain}} {{state}}'],
      ['sum by (chain) (increase(svc_deposits_under_review_total[1h]))', '{{chain}} new doubts in an hour'],
    ),
    lines('Oldest deposit that waits', 's', 'Since it was seen.', [
      'max by (chain, state) (svc_database_deposits_oldest_age_seconds)',
      '{{chain}} {{state}}',
    ]),
    lines(
      'Blocks',
      'short',
      'Final blocks that the watcher has not looked through, and the way from final to latest.',
      ['max by (chain) (svc_chain_watch_lag_blocks)', '{{chain}} not looked through'],
      ['max by (chain) (svc_chain_latest_block) - max by (chain) (svc_chain_final_block)', '{{chain}} not final'],
    ),
    lines('Rounds of the watcher', 's', 'Since the last that ended well.', [
      'min by (chain) (svc_chain_watch_age_seconds)',
      '{{chain}}',
    ]),
    lines('Rounds that failed', 'short', 'In a row.', ['max by (chain) (svc_chain_watch_failures)', '{{chain}}']),
    lines('Questions to providers', 'cps', 'ok, refused, or unavailable.', [
      'sum by (chain, provider, outcome) (rate(svc_chain_questions_total[$__rate_interval]))',
      '{{chain}} {{provider}} {{outcome}}',
    ]),
    lines('Payments to the treasury', 'short', 'What the sweeper has recorded, by state.', [
      'max by (chain, asset, state) (svc_database_outflows)',
      '{{chain}} {{asset}} {{state}}',
    ]),
    lines('Oldest payment under way', 's', 'To the treasury.', [
      'max(svc_database_outflows_oldest_age_seconds)',
      'oldest',
    ]),
  ],
}
