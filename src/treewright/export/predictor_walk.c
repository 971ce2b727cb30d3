/* -- The way of a row: the jump of a cell, the leaf of a row that stays whole, and sums of terms. -- */
/* Where a node with one cut sends a cell: to[0], to[1], or to[2] if it is missing, without a branch the processor could guess wrong. */
static int32_t model_side(const model_node *node, double x) {
  if (fabs(x) > DBL_MAX) return REFUSED;
  return node->to[!(x <= node->cut) + (x != x)];
}

#if HAS_MANY
#define COLUMN_OF(node) ((node)->column & (MANY - 1))
/* The first of `count` cuts that a cell does not exceed. */
static int32_t model_interval(int32_t low, int32_t count, double x) {
  int32_t high = low + count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (x <= model_cuts[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
#else
#define COLUMN_OF(node) ((node)->column)
#endif

static int32_t model_jump(const model_node *node, double x) {
#if HAS_MANY
  if (node->column >= MANY) {
    if (fabs(x) > DBL_MAX) return REFUSED;
    if (x != x) return node->to[2];
    return model_jumps[model_interval(node->to[0], node->to[1], x)];
  }
#endif
  return model_side(node, x);
}

/* -- only derived -- */
/* A sum of terms of cells: infinite, and refused, where one of these is. */
static double model_sum(const double *row, int32_t k, int *refused) {
  double sum;
  int32_t t, l;
  int lost = 0;
  sum = model_derived[k].intercept;
  for (t = model_derived[k].first; t < model_derived[k].last; ++t) {
    const model_term *const term = &model_derived_terms[t];
    double x = row[term->column];
    if (fabs(x) > DBL_MAX) {
      *refused = 1;
      return x;
    }
    if (x != x) {
      lost = model_derived[k].needs_all || lost;
      x = term->missing;
    } else if (term->listed) {
      double found = 0;
      for (l = term->first; l < term->last; ++l)
        if (x == model_derived_levels[l]) found = 1;
      x = found;
    }
    {
      volatile double part = term->coefficient * x; /* volatile: no fused operation */
/* -- end -- */
/* -- only products -- */
      const int32_t by = model_derived_by[t].column;
      if (by >= 0) {
        double other = row[by];
        if (fabs(other) > DBL_MAX) {
          *refused = 1;
          return other;
        }
        if (other != other) {
          lost = model_derived[k].needs_all || lost;
          other = model_derived_by[t].missing;
        }
        part *= other;
      }
/* -- end -- */
/* -- only derived -- */
      sum += part;
    }
  }
  return lost ? NAN : sum > DBL_MAX ? DBL_MAX : sum < -DBL_MAX ? -DBL_MAX : sum;
}

/* -- end -- */
/* -- only parts -- */
#if SQUASHED
static double model_exp(double x);
#endif

/* A score that is made of several sums; of several scores the number of the largest, the first of equals. */
static double model_score(const double *row, int32_t k, int *refused) {
  double best = 0, largest = 0, score = 0;
  int32_t p, last = 0;
  for (p = model_sum_begin[k]; p < model_sum_begin[k + 1]; ++p) {
    double value = model_sum(row, p, refused);
    if (*refused) return value;
    if (value != value) return NAN;
#if SQUASHED
    if (model_parts[p].squashed) {
      const double e = model_exp(-fabs(value));
      volatile double part = model_parts[p].weight * ((value >= 0 ? 1 : e) / (1 + e));
      value = part;
    }
#endif
    if (model_parts[p].score != last || p == model_sum_begin[k]) score = 0;
    last = model_parts[p].score;
    score += value;
    if (p + 1 < model_sum_begin[k + 1] && model_parts[p + 1].score == last) continue;
    if (score != score) return NAN;
    if (last == 0 || score > largest) {
      largest = score;
      best = last;
    }
  }
  return last == 0 ? score : best;
}

/* -- end -- */
/* -- only derived -- */
/* The cell of a column, from COLUMNS on a number that is computed from cells: infinite where one of these is. */
static double model_cell(const double *row, int32_t column) {
  int refused = 0;
/* -- end -- */
/* -- only parts -- */
  if (column >= COLUMNS) return model_score(row, column - COLUMNS, &refused);
/* -- end -- */
/* -- only derived -- */
  return column < COLUMNS ? row[column] : model_sum(row, column - COLUMNS, &refused);
}

/* -- end -- */
/* The leaf of a row, or REFUSED, or SPREAD where it goes several ways. */
static int32_t model_descend(int32_t at, const double *row) {
/* -- only derived -- */
  while (at >= 0 && model_nodes[at].column != ANSWER)
    at = model_jump(&model_nodes[at], model_cell(row, COLUMN_OF(&model_nodes[at])));
/* -- without derived -- */
  while (at >= 0 && model_nodes[at].column != ANSWER) at = model_jump(&model_nodes[at], row[COLUMN_OF(&model_nodes[at])]);
/* -- end -- */
  return at;
}

#if LINEAR || SCORES
/* Value k of an answer that is computed from cells: whether there is one, which is not where a cell is infinite. */
static int model_tell(const double *row, int32_t answer, int32_t k, double *said) {
  double sum = model_answers[answer][k];
#if LINEAR
  int32_t t, l;
  for (t = model_term_begin[answer * VALUES + k]; t < model_term_begin[answer * VALUES + k + 1]; ++t) {
    const model_term *const term = &model_terms[t];
    double x = row[term->column];
    if (fabs(x) > DBL_MAX) return 0;
    if (x != x) {
      x = term->missing;
    } else if (term->listed) {
      double found = 0;
      for (l = term->first; l < term->last; ++l)
        if (x == model_term_levels[l]) found = 1;
      x = found;
    }
    { volatile double part = term->coefficient * x; sum += part; } /* volatile: no fused operation */
  }
#endif
  (void)row;
#if BOUNDED
  if (sum > DBL_MAX) sum = DBL_MAX;
  if (sum < -DBL_MAX) sum = -DBL_MAX;
#endif
  *said = sum;
  return 1;
}
#endif

