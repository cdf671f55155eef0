import { type AlertGroup, TEST_TARGET } from '../alert.ts'

/** What endangers the books: charges that wait, differ or are lost, audits that fail, bills that are other ones. */
export const moneyAlerts: AlertGroup = {
  name: 'svc-money',
  alerts: [
    {
      name: 'SvcAuditFailed',
      severity: 'page',
      expr: 'max by (job) (svc_database_audit_breaches) > 0',
      summary: 'The last audit found that the books break a promise.',
      fires: { series: [{ series: 'svc_database_audit_breaches', values: '0x4 2x20' }], at: '6m' },
      quiet: { series: [{ series: 'svc_database_audit_breaches', values: '0x30' }], at: '20m' },
    },
    {
      name: 'SvcAuditOld',
      severity: 'ticket',
      expr:
        'max by (job) (svc_database_audit_age_seconds) > 172800 or ' +
        '(max by (job) (time() - process_start_time_seconds and on (job, instance) svc_build_info) > 172800 ' +
        'unless on (job) svc_database_audit_age_seconds)',
      for: '1h',
      summary: 'No audit of the books came to its end for two days.',
      fires: { series: [{ series: 'svc_database_audit_age_seconds', values: '172700+60x100' }], at: '70m' },
      quiet: { series: [{ series: 'svc_database_audit_age_seconds', values: '3600+60x100' }], at: '90m' },
    },
    {
      name: 'SvcAuditUnfinished',
      severity: 'ticket',
      expr: 'max by (job) (svc_database_audit_unfinished) == 1',
      for: '15m',
      summary: 'The newest audit of the books came to no verdict.',
      fires: { series: [{ series: 'svc_database_audit_unfinished', values: '1x30' }], at: '20m' },
      quiet: { series: [{ series: 'svc_database_audit_unfinished', values: '1x10 0x30' }], at: '20m' },
    },
    {
      name: 'SvcReconciliationDiffers',
      severity: 'ticket',
      expr: 'max by (job, upstream) (svc_database_reconciliation_differences) > 0',
      summary: 'An upstream has billed something else than the books say.',
      fires: {
        series: [{ series: 'svc_database_reconciliation_differences{upstream="u"}', values: '0x4 3x20' }],
        ...{ at: '6m', labels: { job: 'svc', upstream: 'u' } },
      },
      quiet: {
        series: [{ series: 'svc_database_reconciliation_differences{upstream="u"}', values: '0x30' }],
        at: '20m',
      },
    },
    {
      name: 'SvcReconciliationUnfinished',
      severity: 'ticket',
      expr:
        'max by (job, upstream) (svc_database_reconciliation_unfinished) == 1 or ' +
        'max by (job, upstream) (svc_database_reconciliation_age_seconds) > 172800',
      for: '6h',
      summary: 'For a day nobody knows whether the books agree with what an upstream has billed.',
      fires: {
        series: [{ series: 'svc_database_reconciliation_unfinished{upstream="u"}', values: '1x400' }],
        ...{ at: '370m', labels: { job: 'svc', upstream: 'u' } },
      },
      quiet: {
        series: [
          { series: 'svc_database_reconciliation_unfinished{upstream="u"}', values: '1x100 0x300' },
          { series: 'svc_database_reconciliation_age_seconds{upstream="u"}', values: '3600+60x400' },
        ],
        at: '370m',
      },
    },
    {
      name: 'SvcSettlementsUnwritten',
      severity: 'page',
      expr: 'svc_settlements_unwritten > 0',
      for: '2m',
      summary: 'Neither the database nor the data folder takes settlements.',
      fires: { series: [{ series: 'svc_settlements_unwritten', values: '0 3x10' }], at: '5m', labels: TEST_TARGET },
      quiet: { series: [{ series: 'svc_settlements_unwritten', values: '0 3 0x10' }], at: '5m' },
    },
    {
      name: 'SvcSettlementsPending',
      severity: 'page',
      expr: 'svc_settlements_pending_oldest_age_seconds > 120',
      summary: 'Charges of delivered answers wait in the data folder: the database takes none. Keep the folder.',
      fires: {
        series: [{ series: 'svc_settlements_pending_oldest_age_seconds', values: '0+60x10' }],
        ...{ at: '4m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_settlements_pending_oldest_age_seconds', values: '0 60 120 0x10' }], at: '2m' },
    },
    {
      name: 'SvcSettlementsFileLarge',
      severity: 'page',
      expr: 'svc_settlements_file_bytes > 16777216',
      summary: 'The file of waiting settlements has passed 16 MiB; at 64 MiB no request is admitted.',
      fires: {
        series: [{ series: 'svc_settlements_file_bytes', values: '0+4194304x10' }],
        ...{ at: '6m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_settlements_file_bytes', values: '1048576x10' }], at: '6m' },
    },
    {
      name: 'SvcSettlementsLost',
      severity: 'page',
      expr: 'increase(svc_settlements_lost_total[1h]) > 0',
      summary: 'The database has lost charges that it had confirmed.',
      fires: {
        series: [{ series: 'svc_settlements_lost_total', values: '0x5 4x20' }],
        ...{ at: '10m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_settlements_lost_total', values: '0x5 4x100' }], at: '90m' },
    },
    {
      name: 'SvcSettlementsDiffer',
      severity: 'page',
      expr: 'increase(svc_settlements_differing_total[1h]) > 0',
      summary: 'A charge in the books is another one than its client was told.',
      fires: {
        series: [{ series: 'svc_settlements_differing_total', values: '0x5 1x20' }],
        ...{ at: '10m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_settlements_differing_total', values: '0x30' }], at: '20m' },
    },
    {
      name: 'SvcSettlementJournalDamaged',
      severity: 'page',
      expr: 'increase(svc_settlement_journals_damaged_total[1h]) > 0',
      summary: 'A file of settlements could not be read whole.',
      fires: {
        series: [{ series: 'svc_settlement_journals_damaged_total', values: '0x5 1x20' }],
        ...{ at: '10m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_settlement_journals_damaged_total', values: '0x30' }], at: '20m' },
    },
    {
      name: 'SvcLateCharges',
      severity: 'page',
      expr: 'sum by (job, outcome) (increase(svc_late_charges_total[1h])) > 0',
      summary: 'The database had lost the holds of requests that ran.',
      fires: {
        series: [{ series: 'svc_late_charges_total{outcome="charged"}', values: '0x5 2x20' }],
        ...{ at: '10m', labels: { job: 'svc', outcome: 'charged' } },
      },
      quiet: { series: [{ series: 'svc_late_charges_total{outcome="charged"}', values: '7x30' }], at: '20m' },
    },
    {
      name: 'SvcWriteOffs',
      severity: 'ticket',
      expr:
        'sum by (job) (increase(svc_write_off_credits_total[1h])) > ' +
        '0.01 * sum by (job) (increase(svc_credits_charged_total[1h])) + 1',
      summary: 'More than one percent of what was charged in an hour is written off.',
      fires: {
        series: [
          { series: 'svc_write_off_credits_total', values: '0+1x60' },
          { series: 'svc_credits_charged_total', values: '0+10x60' },
        ],
        at: '60m',
      },
      quiet: {
        series: [
          { series: 'svc_write_off_credits_total', values: '0+0.05x60' },
          { series: 'svc_credits_charged_total', values: '0+10x60' },
        ],
        at: '60m',
      },
    },
    {
      name: 'SvcHoldsStayOpen',
      severity: 'ticket',
      expr: 'max by (job) (svc_database_holds_oldest_age_seconds) > 3600',
      for: '5m',
      summary: 'A hold is open for an hour: holds of dead processes are not swept, or a request hangs.',
      fires: { series: [{ series: 'svc_database_holds_oldest_age_seconds', values: '3500+60x30' }], at: '10m' },
      quiet: { series: [{ series: 'svc_database_holds_oldest_age_seconds', values: '300x30' }], at: '10m' },
    },
    {
      name: 'SvcLedgerLogRefused',
      severity: 'page',
      expr: 'min by (job) (svc_ledger_log_refused) == 1',
      for: '2m',
      summary: 'No process signs the ledger log: it is not the one that was published, or its key is gone.',
      fires: { series: [{ series: 'svc_ledger_log_refused', values: '0 1x20' }], at: '6m' },
      quiet: { series: [{ series: 'svc_ledger_log_refused', values: '1 0x20' }], at: '6m' },
    },
    {
      name: 'SvcLedgerLogUnsigned',
      severity: 'ticket',
      expr:
        'max by (job) (svc_ledger_log_size) > max by (job) (svc_ledger_log_signed_size) ' +
        'and max by (job) (delta(svc_ledger_log_signed_size[15m])) == 0',
      for: '5m',
      summary: 'Leaves of the ledger log wait for a signed checkpoint: new receipts cannot be had.',
      fires: {
        series: [
          { series: 'svc_ledger_log_size', values: '100+10x40' },
          { series: 'svc_ledger_log_signed_size', values: '100x40' },
        ],
        at: '25m',
      },
      quiet: {
        series: [
          { series: 'svc_ledger_log_size', values: '100+10x40' },
          { series: 'svc_ledger_log_signed_size', values: '95+10x40' },
        ],
        at: '25m',
      },
    },
    {
      name: 'SvcPriceBelowCost',
      severity: 'ticket',
      expr: 'max by (job) (svc_catalog_cards_below_cost) > 0',
      for: '30m',
      summary: 'An alias has a card price below its cost and margin: its clients pay more than the card says.',
      fires: { series: [{ series: 'svc_catalog_cards_below_cost', values: '1x60' }], at: '40m' },
      quiet: { series: [{ series: 'svc_catalog_cards_below_cost', values: '1x10 0x60' }], at: '40m' },
    },
  ],
}
