/* -- Many rows at once. -- */
/* Sends some rows down together, so that the memory of one is fetched while the others move. */
#define LANES 12
#define AHEAD 16 /* rows that are fetched before they are needed */
#define BLOCK 4096
static void model_descend_many(const double *rows, size_t n, int32_t *leaves) {
  struct { const double *row; const model_node *node; } lanes[LANES];
  size_t next = 0, busy = 0, i, k;
  for (; busy < LANES && next < n; ++busy, ++next) {
    lanes[busy].row = rows + next * COLUMNS;
    lanes[busy].node = model_nodes;
  }
  while (busy > 0) {
    for (i = 0; i < busy; ++i) {
      const model_node *const node = lanes[i].node;
      int32_t at;
      if (node->column != ANSWER) {
/* -- only derived -- */
        at = model_jump(node, model_cell(lanes[i].row, COLUMN_OF(node)));
/* -- without derived -- */
        at = model_jump(node, lanes[i].row[COLUMN_OF(node)]);
/* -- end -- */
        if (at >= 0) {
          lanes[i].node = &model_nodes[at];
          FETCH(lanes[i].node);
          continue;
        }
      } else {
        at = (int32_t)(node - model_nodes);
      }
      leaves[(size_t)(lanes[i].row - rows) / COLUMNS] = at;
      if (next < n) {
        if (next + AHEAD < n)
          for (k = 0; k < COLUMNS && k < 64; k += 8) FETCH(rows + (next + AHEAD) * COLUMNS + k);
        lanes[i].row = rows + next++ * COLUMNS;
        lanes[i].node = model_nodes;
      } else {
        lanes[i] = lanes[--busy];
      }
    }
  }
}

void model_predict_many(const double *rows, size_t n, model_answer *answers) {
  int32_t leaves[BLOCK];
  while (n > 0) {
    const size_t some = n < BLOCK ? n : BLOCK;
    size_t i;
    model_descend_many(rows, some, leaves);
    for (i = 0; i < some; ++i) {
#if SEVERAL
      size_t k;
      if (model_values(rows + i * COLUMNS, 0, SOFT, leaves[i], answers + i * VALUES) == REFUSED)
        for (k = 0; k < VALUES; ++k) answers[i * VALUES + k] = NO_ANSWER;
#else
      answers[i] = model_say(rows + i * COLUMNS, 0, SOFT, leaves[i]);
#endif
    }
    rows += some * COLUMNS;
    answers += SEVERAL ? some * VALUES : some;
    n -= some;
  }
}

