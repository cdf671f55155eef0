import { lines, type PanelRow, stat } from '../panel.ts'

export const upstreams: PanelRow = {
  title: 'Upstreams',
  panels: [
    lines('Calls by outcome', 'reqps', 'ok, failed, or stopped by us.', [
      'sum by (upstream, outcome) (rate(svc_upstream_calls_total[$__rate_interval]))',
      '{{upstream}} {{outcome}}',
    ]),
    lines('Failures by kind', 'reqps', 'our_account: the upstream refuses our key, or our credit with it is out.', [
      'sum by (upstream, kind) (rate(svc_upstream_failures_total[$__rate_interval]))',
      '{{upstream}} {{kind}}',
    ]),
    lines('Duration of calls', 's', 'From a call to its end, streams included; 95 of 100.', [
      'histogram_quantile(0.95, sum by (le, upstream, operation) (rate(svc_upstream_call_duration_seconds_bucket[$__rate_interval])))',
      '{{upstream}} {{operation}}',
    ]),
    lines('Calls that run', 'short', 'What is asked of each upstream now.', [
      'sum by (upstream) (svc_upstream_calls_in_flight)',
      '{{upstream}}',
    ]),
    lines('Turns', 'short', 'Requests to upstreams that take so many at a time: running, and waiting.', [
      'sum by (upstream, state) (svc_upstream_turns)',
      '{{upstream}} {{state}}',
    ]),
    lines('Repeated attempts', 'reqps', 'Unbilled failures that went to another upstream, or to the same once more.', [
      'sum by (from, to, reason) (rate(svc_upstream_repeats_total[$__rate_interval]))',
      '{{from}} to {{to}} ({{reason}})',
    ]),
    lines('Circuits that are not closed', 'short', '2 open, 1 half open; without a model: our account.', [
      'max by (upstream, model) (svc_upstream_circuit_state)',
      '{{upstream}} {{model}}',
    ]),
    lines(
      'Keys that rest',
      'short',
      'Of upstreams with several keys: processes in which a key is refused and others are asked before it.',
      ['sum by (upstream, key) (svc_upstream_key_resting)', '{{upstream}} {{key}}'],
    ),
    lines('What keys have left', 'percentunit', 'Part of its rate that a key has left, by its last answers.', [
      'min by (upstream, key) (svc_upstream_key_left_ratio)',
      '{{upstream}} {{key}}',
    ]),
    lines('Calls by key', 'reqps', 'Of upstreams with several keys.', [
      'sum by (upstream, key, outcome) (rate(svc_upstream_key_calls_total[$__rate_interval]))',
      '{{upstream}} {{key}} {{outcome}}',
    ]),
    stat('Models sold', 'short', 'Models in the list.', 'min(svc_catalog_models)'),
    stat('Age of the list', 's', 'Since models and prices were received.', 'max(svc_catalog_age_seconds)', 86_400),
    stat(
      'Cards below cost',
      'short',
      'Aliases whose card price is below cost and margin.',
      'max(svc_catalog_cards_below_cost)',
      1,
    ),
  ],
}
