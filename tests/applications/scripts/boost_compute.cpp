// Boost.Compute's algorithms on OpenCL against the standard library's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <boost/compute.hpp>

namespace compute = boost::compute;

static compute::command_queue &queue() { return compute::system::default_queue(); }

static void attempt(const std::string &test, const std::function<bool()> &function) {
    try {
        std::printf(function() ? "pass %s\n" : "fail %s: wrong result\n", test.c_str());
    } catch (const std::exception &error) {
        std::printf("fail %s: %s\n", test.c_str(), error.what());
    }
    std::fflush(stdout);
}

static void speed(const char *name, const std::function<void()> &function) {
    double best = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
        auto start = std::chrono::steady_clock::now();
        function();
        queue().finish();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("speed %s %.9f\n", name, best);
}

template <typename T> static std::vector<T> back(const compute::vector<T> &values) {
    std::vector<T> host(values.size());
    compute::copy(values.begin(), values.end(), host.begin(), queue());
    return host;
}

BOOST_COMPUTE_FUNCTION(int, twice_plus_one, (int x), { return 2 * x + 1; });
BOOST_COMPUTE_FUNCTION(bool, is_even, (int x), { return x % 2 == 0; });

int main() {
    std::mt19937 random(9);
    std::vector<int> host(100003);
    for (int &value : host) value = int(random() % 1000);
    std::vector<int> other(host.rbegin(), host.rend()), sorted(host), expected(host.size());
    std::sort(sorted.begin(), sorted.end());
    compute::vector<int> a(host.begin(), host.end(), queue()), b(other.begin(), other.end(), queue()), c(host.size());
    compute::vector<int> ordered(sorted.begin(), sorted.end(), queue());

    attempt("transform", [&] {
        compute::transform(a.begin(), a.end(), c.begin(), twice_plus_one, queue());
        std::transform(host.begin(), host.end(), expected.begin(), [](int x) { return 2 * x + 1; });
        return back(c) == expected;
    });
    attempt("transform of two", [&] {
        compute::transform(a.begin(), a.end(), b.begin(), c.begin(), compute::plus<int>(), queue());
        std::transform(host.begin(), host.end(), other.begin(), expected.begin(), std::plus<int>());
        return back(c) == expected;
    });
    attempt("lambda", [&] {
        using compute::lambda::_1;
        compute::transform(a.begin(), a.end(), c.begin(), _1 * 3 - 4, queue());
        std::transform(host.begin(), host.end(), expected.begin(), [](int x) { return x * 3 - 4; });
        return back(c) == expected;
    });
    attempt("accumulate", [&] { return compute::accumulate(a.begin(), a.end(), 5, queue()) == std::accumulate(host.begin(), host.end(), 5); });
    attempt("reduce", [&] {
        int sum = 0;
        compute::reduce(a.begin(), a.end(), &sum, compute::plus<int>(), queue());
        return sum == std::accumulate(host.begin(), host.end(), 0);
    });
    attempt("inclusive_scan", [&] {
        compute::inclusive_scan(a.begin(), a.end(), c.begin(), queue());
        std::partial_sum(host.begin(), host.end(), expected.begin());
        return back(c) == expected;
    });
    attempt("exclusive_scan", [&] {
        compute::exclusive_scan(a.begin(), a.end(), c.begin(), queue());
        expected[0] = 0;
        std::partial_sum(host.begin(), host.end() - 1, expected.begin() + 1);
        return back(c) == expected;
    });
    attempt("sort", [&] {
        compute::copy(a.begin(), a.end(), c.begin(), queue());
        compute::sort(c.begin(), c.end(), queue());
        return back(c) == sorted;
    });
    attempt("stable_sort, descending", [&] {
        compute::copy(a.begin(), a.end(), c.begin(), queue());
        compute::stable_sort(c.begin(), c.end(), compute::greater<int>(), queue());
        return back(c) == std::vector<int>(sorted.rbegin(), sorted.rend());
    });
    attempt("sort_by_key", [&] {
        compute::vector<int> keys(host.begin(), host.end(), queue()), values(host.begin(), host.end(), queue());
        compute::sort_by_key(keys.begin(), keys.end(), values.begin(), queue());
        return back(keys) == sorted && back(values) == sorted;
    });
    attempt("count_if", [&] {
        return compute::count_if(a.begin(), a.end(), is_even, queue()) ==
               size_t(std::count_if(host.begin(), host.end(), [](int x) { return x % 2 == 0; }));
    });
    attempt("find", [&] {
        return compute::find(a.begin(), a.end(), 77, queue()) - a.begin() == std::find(host.begin(), host.end(), 77) - host.begin();
    });
    attempt("max_element", [&] {
        return compute::max_element(a.begin(), a.end(), queue()) - a.begin() == std::max_element(host.begin(), host.end()) - host.begin();
    });
    attempt("lower_bound", [&] {
        return compute::lower_bound(ordered.begin(), ordered.end(), 500, queue()) - ordered.begin() ==
               std::lower_bound(sorted.begin(), sorted.end(), 500) - sorted.begin();
    });
    attempt("unique", [&] {
        compute::copy(ordered.begin(), ordered.end(), c.begin(), queue());
        auto end = compute::unique(c.begin(), c.end(), queue());
        return end - c.begin() == std::unique(expected.begin(), std::copy(sorted.begin(), sorted.end(), expected.begin())) - expected.begin();
    });
    attempt("partition", [&] {
        compute::copy(a.begin(), a.end(), c.begin(), queue());
        auto end = compute::partition(c.begin(), c.end(), is_even, queue());
        return end - c.begin() == std::count_if(host.begin(), host.end(), [](int x) { return x % 2 == 0; });
    });
    attempt("reverse", [&] {
        compute::reverse_copy(a.begin(), a.end(), c.begin(), queue());
        return back(c) == other;
    });
    attempt("merge", [&] {
        compute::vector<int> merged(2 * host.size());
        compute::merge(ordered.begin(), ordered.end(), ordered.begin(), ordered.end(), merged.begin(), queue());
        std::vector<int> both;
        std::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), std::back_inserter(both));
        return back(merged) == both;
    });
    attempt("inner_product", [&] {
        return compute::inner_product(a.begin(), a.begin() + 1000, b.begin(), 0, queue()) ==
               std::inner_product(host.begin(), host.begin() + 1000, other.begin(), 0);
    });
    attempt("gather", [&] {
        std::vector<int> places(host.size());
        std::iota(places.rbegin(), places.rend(), 0);
        compute::vector<int> map(places.begin(), places.end(), queue());
        compute::gather(map.begin(), map.end(), a.begin(), c.begin(), queue());
        return back(c) == other;
    });
    attempt("mersenne twister", [&] {
        compute::mersenne_twister_engine<compute::uint_> engine(queue(), 5489u);
        compute::vector<compute::uint_> numbers(1000);
        engine.generate(numbers.begin(), numbers.end(), queue());
        std::mt19937 same(5489u);
        std::vector<compute::uint_> wanted(1000);
        for (auto &number : wanted) number = same();
        return back(numbers) == wanted;
    });

    compute::vector<float> large(1 << 20);
    std::vector<float> numbers(large.size());
    for (float &number : numbers) number = float(random()) / 4e9f;
    speed("sort floats", [&] {
        compute::copy(numbers.begin(), numbers.end(), large.begin(), queue());
        compute::sort(large.begin(), large.end(), queue());
    });
    compute::vector<float> result(large.size());
    speed("transform floats", [&] { compute::transform(large.begin(), large.end(), result.begin(), compute::sqrt<float>(), queue()); });
    speed("scan floats", [&] { compute::inclusive_scan(large.begin(), large.end(), result.begin(), queue()); });
    float sum = 0;
    speed("reduce floats", [&] { compute::reduce(large.begin(), large.end(), &sum, compute::plus<float>(), queue()); });
}
