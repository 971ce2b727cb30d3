# Fits rpart to a table and prints the trees as JSON: Rscript rpart.R table.csv levels-per-column variants
suppressPackageStartupMessages(library(rpart))
given <- commandArgs(trailingOnly = TRUE)
table <- read.csv(given[1])
levels <- as.integer(strsplit(given[2], ",")[[1]])
for (j in seq_along(levels)) {
  if (levels[j] > 0) table[[j]] <- factor(table[[j]], levels = 0:(levels[j] - 1)) else table[[j]] <- as.numeric(table[[j]])
}
classes <- is.factor(table$y)
folds <- (seq_len(nrow(table)) - 1) %% 10 + 1

numbers <- function(x) {
  said <- formatC(as.numeric(x), digits = 17, format = "g", width = -1)
  said[!is.finite(as.numeric(x))] <- "null"
  paste0("[", paste(trimws(said), collapse = ","), "]")
}
rows <- function(m) if (is.null(m) || nrow(m) == 0) "[]" else paste0("[", paste(apply(m, 1, numbers), collapse = ","), "]")
column <- function(name) ifelse(name == "<leaf>", -1, suppressWarnings(as.integer(sub("^x", "", name))))

fit <- function(variant) {
  options <- rpart.control(xval = folds)
  if (variant == "deep") options <- rpart.control(cp = 0.001, minsplit = 6, minbucket = 2, xval = folds)
  if (variant == "known") options <- rpart.control(surrogatestyle = 1, xval = folds)
  parms <- if (classes) list(split = "gini") else NULL
  if (variant == "information") parms <- list(split = "information")
  if (classes) {
    n <- nlevels(table$y)
    if (variant == "priors") parms <- list(prior = rep(1 / n, n))
    if (variant == "loss") parms <- list(loss = outer(seq_len(n), seq_len(n), function(i, j) ifelse(i == j, 0, 1 + (i + 2 * j) %% 3)))
  }
  rpart(y ~ ., table, method = if (classes) "class" else "anova", parms = parms, control = options)
}

out <- character(0)
for (variant in strsplit(given[3], ",")[[1]]) {
  tree <- fit(variant)
  frame <- tree$frame
  importance <- if (is.null(tree$variable.importance)) numeric(0) else tree$variable.importance
  out <- c(out, paste0(
    '"', variant, '":{"node":', numbers(rownames(frame)), ',"var":', numbers(column(as.character(frame$var))), ',"n":', numbers(frame$n),
    ',"compete":', numbers(frame$ncompete), ',"surrogate":', numbers(frame$nsurrogate),
    ',"splits":', rows(if (is.null(tree$splits)) NULL else cbind(column(rownames(tree$splits)), tree$splits)),
    ',"csplit":', rows(tree$csplit), ',"cptable":', rows(tree$cptable),
    ',"importance":', rows(if (length(importance)) cbind(column(names(importance)), importance) else NULL),
    if (variant == "default") paste0(',"where":', numbers(rownames(frame)[tree$where])), "}"
  ))
}
cat("{", paste(out, collapse = ","), "}", sep = "")
